# Lists the declarations of StreamQuery with `package` access that StreamQueryPersistence uses:
# seam.pl ROOT <INDEX, which is what seam.c prints.
#
# A type counts if it is named, a member if it is used, a case as a member, an accessor as its property. What
# persistence implements for a protocol of the core is not counted.
use strict;
use warnings;

my $root = shift;
my ($definition, $reference, $child, $extended, $accessor) = (1 << 1, 1 << 2, 1 << 9, 1 << 14, 1 << 15);
my (%newest, %lines);
while (<STDIN>) {
  chomp;
  my ($time, undef, $file) = split /\t/;
  $file =~ s{^.*?/(?=Sources/)}{};
  next unless -f "$root/$file";
  # Files may have been compiled in several places.
  next if ($newest{$file} // 0) > $time;
  $lines{$file} = [] if ($newest{$file} // 0) < $time;
  $newest{$file} = $time;
  push @{$lines{$file}}, $_;
}

my (%symbols, %extensions, %used);
for my $file (keys %lines) {
  for (@{$lines{$file}}) {
    my (undef, $module, undef, $line, $kind, $roles, $usr, $name, @related) = split /\t/;
    my ($parent, $property);
    while (my ($role, $other) = splice @related, 0, 2) {
      $parent = $other if $role & $child;
      $property = $other if $role & $accessor;
      $extensions{$other} = $usr if $role & $extended;
    }
    if ($roles & $definition && $usr !~ /^s:e:/) {
      $symbols{$usr} = {
        module => $module, file => $file, line => $line, kind => $kind, name => $name, parent => $parent,
        property => $property,
      };
    } elsif ($roles & $reference && $module eq 'StreamQueryPersistence') {
      $used{$usr} = 1;
    }
  }
}

my %text;
sub line_of {
  my $symbol = shift;
  my $file = $symbol->{file};
  if (!$text{$file}) {
    open my $in, '<', "$root/$file" or die "seam: $file: $!\n";
    $text{$file} = [<$in>];
  }
  return $text{$file}[$symbol->{line} - 1] // '';
}

sub owner { my $parent = shift->{parent} // return; return $symbols{$extensions{$parent} // $parent}; }

sub is_public {
  my $symbol = shift;
  # Cases, and what a protocol requires, are as visible as their type.
  my $owner = owner($symbol);
  return is_public($owner) if $owner && ($symbol->{kind} == 15 || $owner->{kind} == 8);
  return line_of($symbol) =~ /\bpublic\b(?!\()/;
}

sub path {
  my $symbol = shift;
  my $owner = owner($symbol);
  my $parent = $symbol->{parent} // '';
  return ($owner ? path($owner) . '.' : $extensions{$parent} || $parent ? 'extension ' : '') . $symbol->{name};
}

my (%types, %members);
for my $usr (keys %used) {
  my $symbol = $symbols{$usr} // next;
  $symbol = $symbols{$symbol->{property}} // $symbol if $symbol->{property};
  next if $symbol->{module} ne 'StreamQuery' || is_public($symbol);
  # 5 to 8: enumerations, structs, classes, protocols; 11: names of types.
  if ($symbol->{kind} =~ /^([5-8]|11)$/) { $types{path($symbol)} = 1 } else { $members{path($symbol)} = 1 }
}
print "type $_\n" for sort keys %types;
print "member $_\n" for sort keys %members;
