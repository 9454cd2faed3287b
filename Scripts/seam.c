// Prints what the compiler has noted of modules in an index store, for Scripts/seam.pl: seam STORE MODULE…
//
// A line has fields with tabs between them: the time of the build, the module, the file, the line, the kind of the
// symbol, its roles, its USR and its name, and then, for each symbol that it is related to, the roles and the USR of that. The declarations are
// those of indexstore/indexstore.h, which not every toolchain has.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  const char *data;
  size_t length;
} Text;
typedef bool (*VisitText)(void *, Text);
typedef bool (*Visit)(void *, void *);

void *indexstore_store_create(const char *, void **);
bool indexstore_store_units_apply_f(void *, unsigned, void *, VisitText);
void *indexstore_unit_reader_create(void *, const char *, void **);
void indexstore_unit_reader_dispose(void *);
Text indexstore_unit_reader_get_module_name(void *);
void indexstore_unit_reader_get_modification_time(void *, int64_t *, int64_t *);
bool indexstore_unit_reader_dependencies_apply_f(void *, void *, Visit);
int indexstore_unit_dependency_get_kind(void *);
Text indexstore_unit_dependency_get_name(void *);
Text indexstore_unit_dependency_get_filepath(void *);
void *indexstore_record_reader_create(void *, const char *, void **);
void indexstore_record_reader_dispose(void *);
bool indexstore_record_reader_occurrences_apply_f(void *, void *, Visit);
void *indexstore_occurrence_get_symbol(void *);
uint64_t indexstore_occurrence_get_roles(void *);
void indexstore_occurrence_get_line_col(void *, unsigned *, unsigned *);
bool indexstore_occurrence_relations_apply_f(void *, void *, Visit);
uint64_t indexstore_symbol_relation_get_roles(void *);
void *indexstore_symbol_relation_get_symbol(void *);
Text indexstore_symbol_get_usr(void *);
Text indexstore_symbol_get_name(void *);
int indexstore_symbol_get_kind(void *);

static void *store;
static char **modules;
static Text module, file;
static int64_t seconds;

static void print(Text text) { fwrite(text.data, 1, text.length, stdout); }

static bool relation(void *unused, void *relation) {
  printf("\t%llu\t", (unsigned long long)indexstore_symbol_relation_get_roles(relation));
  print(indexstore_symbol_get_usr(indexstore_symbol_relation_get_symbol(relation)));
  return true;
}

static bool occurrence(void *unused, void *occurrence) {
  void *symbol = indexstore_occurrence_get_symbol(occurrence);
  unsigned line, column;
  indexstore_occurrence_get_line_col(occurrence, &line, &column);
  printf("%lld\t", (long long)seconds);
  print(module);
  putchar('\t');
  print(file);
  printf("\t%u\t%d\t%llu\t", line, indexstore_symbol_get_kind(symbol),
         (unsigned long long)indexstore_occurrence_get_roles(occurrence));
  print(indexstore_symbol_get_usr(symbol));
  putchar('\t');
  print(indexstore_symbol_get_name(symbol));
  indexstore_occurrence_relations_apply_f(occurrence, 0, relation);
  putchar('\n');
  return true;
}

static bool dependency(void *unused, void *dependency) {
  void *error = 0;
  file = indexstore_unit_dependency_get_filepath(dependency);
  if (indexstore_unit_dependency_get_kind(dependency) != 2 || file.length < 6 ||
      memcmp(file.data + file.length - 6, ".swift", 6) != 0) {
    return true;
  }
  char name[1024];
  Text text = indexstore_unit_dependency_get_name(dependency);
  snprintf(name, sizeof name, "%.*s", (int)text.length, text.data);
  void *record = indexstore_record_reader_create(store, name, &error);
  if (!record) return true;
  indexstore_record_reader_occurrences_apply_f(record, 0, occurrence);
  indexstore_record_reader_dispose(record);
  return true;
}

static bool unit(void *unused, Text text) {
  void *error = 0;
  char name[1024];
  snprintf(name, sizeof name, "%.*s", (int)text.length, text.data);
  void *reader = indexstore_unit_reader_create(store, name, &error);
  if (!reader) return true;
  module = indexstore_unit_reader_get_module_name(reader);
  for (char **known = modules; *known; known++) {
    if (strlen(*known) == module.length && memcmp(*known, module.data, module.length) == 0) {
      int64_t nanoseconds;
      indexstore_unit_reader_get_modification_time(reader, &seconds, &nanoseconds);
      indexstore_unit_reader_dependencies_apply_f(reader, 0, dependency);
    }
  }
  indexstore_unit_reader_dispose(reader);
  return true;
}

int main(int count, char **arguments) {
  void *error = 0;
  store = count > 2 ? indexstore_store_create(arguments[1], &error) : 0;
  if (!store) {
    fprintf(stderr, "seam: no index store\n");
    return 1;
  }
  modules = arguments + 2;
  indexstore_store_units_apply_f(store, 0, 0, unit);
  return 0;
}
