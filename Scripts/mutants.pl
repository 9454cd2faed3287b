# Makes, refuses, runs and counts mutants for Scripts/mutants.sh, which says what they are.
#
#   make FOLDER COUNT SEED GLOB    FOLDER/planted: the files with all mutants; FOLDER/mutants.tsv: a table of them
#   refuse FOLDER LOG              adds those in whose lines a compiler found errors to FOLDER/refused.txt
#   run SECONDS PROGRAM ARGUMENT…  ends a program at its first issue, or after a time with the status 124
#   report FOLDER                  what was killed, and what was not; fails below 95 %
use strict;
use warnings;
use File::Basename qw(basename dirname);
use File::Path qw(make_path remove_tree);

my @fields = qw(number file line state suites kind text name start);
my $pair;
$pair = qr/(?:\((?:[^()\[\]{}]|(??{$pair}))*\)|\[(?:[^()\[\]{}]|(??{$pair}))*\]|\{(?:[^()\[\]{}]|(??{$pair}))*\})/;
my $other =
  qr{^(?:(?:return|throw|let|var|if|else|guard|for|while|switch|case|default|defer|func|init|self\.init)\b|[gs]et \{)};

sub read_lines { open(my $in, '<', $_[0]) or return (); chomp(my @lines = <$in>); return @lines }
sub read_table { my $path = "$_[0]/mutants.tsv"; map { my %row; @row{@fields} = split /\t/; \%row } read_lines($path) }

sub write_lines {
  my ($path, @lines) = @_;
  make_path(dirname($path));
  open(my $out, '>', $path) or die "mutants: $path: $!\n";
  print $out map({ "$_\n" } @lines);
}

# Whether a line is a statement that can be left out.
sub is_droppable {
  my ($flat, $before, $next) = @_;
  return 0 if $flat =~ /$other|[)\]}]|[(\[{](?!_)|[,=?:&|+-]$|reserveCapacity/ || $next =~ /^(?:[.?:&|+=-]|else\b)/;
  return 0 if $before =~ /[,(\[=?&|+-]$/ || $before =~ /^(?!case|default).*:$/;
  return 1 if $flat =~ /^[A-Za-z_\$(]\S* (?:=|[-+*%&|]{1,2}=) /;
  return 0 unless $flat =~ /^[A-Za-z_\$]\S*(?: \{_+)?$/ && $flat =~ /[({]/;
  # What stands alone in braces may be their value.
  return $before !~ /(?:\{| in)$/ || $next !~ /^\}/
    || $before =~ /^(?:(?:\} )?else|if|for|while|do|defer|set|\))\b|^\)|\bfunc / && $before !~ /->/;
}

# The mutants of a file. Each puts a text before and a text after a part of a line; # is its number.
sub mutants_of {
  my ($file, @lines) = @_;
  my @code = grep { $_->{text} !~ m{^(?://|$)} }
    map { {line => $_ + 1, indent => $lines[$_] =~ /^\s*/ && $+[0], text => $lines[$_] =~ s/^\s+//r} } 0 .. $#lines;
  # Of the same length, without what is in literals and brackets.
  $_->{flat} = $_->{text} =~ s/"((?:[^"\\]|\\.)*)"/'"' . '_' x length($1) . '"'/ger for @code;
  $_->{flat} =~ s/$pair/substr($&, 0, 1) . '_' x (length($&) - 1)/ge for @code;
  # What follows the pattern of a case that is one line and binds nothing.
  for (grep { $code[$_ + 1]{text} =~ /^(?:case |default:|\})/ } 0 .. $#code - 1) {
    my $case = $code[$_];
    $case->{rest} = $+[0] if $case->{flat} =~ /^case (?!.*[{(\[](?!_)).+?: (?=.)/ && $case->{text} !~ /\b(?:let|var)\b/;
  }
  my ($function, $start, %undefined, @found) = ('-', 0);
  for my $place (0 .. $#code) {
    my ($line, $indent, $text, $flat, $rest) = @{$code[$place]}{qw(line indent text flat rest)};
    my ($before, $next) = map { $_ < 0 || $_ > $#code ? '' : $code[$_]{text} } $place - 1, $place + 1;
    if ($text =~ /^(?:[\w@()]+ )*(?:func (\S+?)[(<\s]|(init)[?(<]|(subscript)\b|var (\w+): [^=]*\{)/) {
      ($function, $start, %undefined) = ($1 // $2 // $3 // $4, $line);
    }
    $undefined{$1} = 1 if $text =~ /^let (\w+): [^=]+$/;
    next if $text =~ m{\\\(|"""|//};
    my $add = sub {
      my ($kind, $from, $to, $head, $tail, $mutated) = @_;
      my $edits = [[$indent + $from, $head], [$indent + $to, $tail]];
      my $name = join ' ', basename($file), $function, $kind, $mutated;
      push @found, {line => $line, kind => $kind, start => $start, text => $mutated, name => $name, edits => $edits};
    };
    my $flip = sub {
      my ($kind, $from, $to) = @_;
      substr(my $mutated = $text, $from, $to - $from) = '!(' . substr($text, $from, $to - $from) . ')';
      $add->($kind, $from, $to, 'mutant(#, ', ')', $mutated);
    };
    # The line may be the first of several.
    my $head = $next =~ /^else \{/ ? "$flat else {" : $flat;
    if ($head =~ /^guard (.+?)(?: else \{|,$)/
      || $head =~ /^(?:(?:\} else )?if|while|(?:for|case) .* where) (.+?)(?: \{|[,:]$)/) {
      my ($from, $list) = ($-[1], $1);
      while ($list =~ /\G(?:((?:let|var|case|try|await)\b|#).*?|(.+?))(?:, |$)/g) {
        $flip->('flipped', $from + $-[2], $from + $+[2]) if !$1;
      }
    }
    my ($instead) = !$rest ? () : grep { $_ ne substr $text, $rest }
      map { substr $_->{text}, $_->{rest} } grep { $_->{rest} } @code[$place + 1, $place - 1];
    if (defined $instead) {
      my $mutated = substr($text, 0, $rest) . $instead;
      $add->('swapped', $rest, length $text, "if mutant(#) { $instead } else { ", ' }', $mutated);
    }
    if (is_droppable($flat, $before, $next) && $function ne 'init' && !$undefined{$flat =~ /^(\w+) =/ ? $1 : ''}) {
      $add->('dropped', 0, length $text, 'if !mutant(#) { ', ' }', $text);
    }
    while (!defined $instead && $text =~ /(?:\breturn |\b\w+: |\{ )(true|false)(?=$|[,)]| \})/g) {
      $flip->('literal', $-[1], $+[1]);
    }
  }
  return @found;
}

# Chooses by a seed: five of each group, and the others in proportion to the lines of the files. Equivalent ones count,
# so that those that are found to be do not change the others.
sub choose {
  my ($count, $seed, $lines, @left) = @_;
  my ($random, %in_file, %in_group, @first, @later) = ($seed % 2147483646 + 1);
  # Of Park and Miller: the same everywhere.
  $_->{random} = $random = $random * 16807 % 2147483647 for @left;
  $_->{rank} = (2 * $in_file{$_->{file}}++ + 1) / $lines->{$_->{file}} for sort { $a->{random} <=> $b->{random} } @left;
  for (sort { $a->{rank} <=> $b->{rank} || $a->{number} <=> $b->{number} } @left) {
    push @{$in_group{$_->{suites}}++ < 5 ? \@first : \@later}, $_;
  }
  for (splice @{[@first, @later]}, 0, $count) { $_->{state} = 'chosen' if $_->{state} eq 'left' }
}

sub make {
  my ($folder, $count, $seed, $glob) = @_;
  my $pattern = join '.*', map { quotemeta } split /\*/, $glob, -1;
  my %state = map { $_ => 'refused' } read_lines("$folder/refused.txt");
  my (%group, %lines, @left, @all, $what, $of);
  for (read_lines('Scripts/mutants.txt')) {
    if (/^(suites|equivalent) (.+)/) { ($what, $of) = ($1, $2) }
    elsif (/^  (.+)/ && $what eq 'suites') { my $suites = $1; $group{$_} = $suites for map { glob } split ' ', $of }
    elsif (/^  ./) { $state{$of} = 'equivalent' }
  }
  my %gone = map { $_ => 1 } grep { $state{$_} eq 'equivalent' } keys %state;
  remove_tree("$folder/planted");
  for my $file (sort keys %group) {
    my @lines = read_lines($file);
    ($lines{$file}, my @edits) = scalar @lines;
    for my $mutant (mutants_of($file, @lines)) {
      push @all, $mutant;
      delete $gone{$mutant->{name}};
      @$mutant{qw(number file suites state)} = (scalar @all, $file, $group{$file}, $state{$mutant->{name}} // 'left');
      next if $mutant->{state} eq 'refused';
      push @edits, map { [$mutant->{line} - 1, $_->[0], $_->[1] =~ s/#/$mutant->{number}/r] } @{$mutant->{edits}};
      push @left, $mutant if $file =~ /(?:^|\/)$pattern$/;
    }
    # From the right, so that places stay.
    substr($lines[$_->[0]], $_->[1], 0) = $_->[2] for sort { $b->[1] <=> $a->[1] } @edits;
    write_lines("$folder/planted/$file", @lines);
  }
  die map { "mutants: no such mutant: $_\n" } sort keys %gone if %gone;
  choose($count, $seed, \%lines, @left);
  write_lines("$folder/mutants.tsv", map { join "\t", @$_{@fields} } @all);
  return 0;
}

sub refuse {
  my ($folder, $log) = @_;
  my %refused;
  my @planted = grep { $_->{state} ne 'refused' } read_table($folder);
  for (read_lines($log)) {
    my ($file, $line) = /(Sources\/StreamQuery(?:Persistence)?\/[^:]+):(\d+):\d+: error: / or next;
    my @near = grep { $_->{file} eq $file && $_->{start} <= $line } @planted;
    my @found = grep { $_->{line} == $line } @near;
    # That something is not initialised or returned is found where the function goes on.
    @found = grep { $_->{start} == $near[-1]{start} } @near if @near && !@found;
    $refused{$_->{name}} = 1 for @found;
  }
  write_lines("$folder/refused.txt", sort(read_lines("$folder/refused.txt"), keys %refused));
  return !%refused;
}

sub run {
  my ($limit, @command) = @_;
  my ($is_hung, $has_failed) = (0, 0);
  my $child = open(my $output, '-|') // die "mutants: $!\n";
  if (!$child) { setpgrp; open STDERR, '>&', \*STDOUT; exec @command or exit 127 }
  my $end = sub { kill 'KILL', -$child };
  $SIG{ALRM} = sub { $is_hung = 1; $end->() };
  for my $signal (qw(INT TERM)) { $SIG{$signal} = sub { $end->(); $SIG{$signal} = 'DEFAULT'; kill $signal, $$ } }
  alarm $limit;
  while (<$output>) { print; if (/ recorded an issue /) { $has_failed = 1; $end->(); last } }
  close $output;
  return $is_hung ? 124 : $has_failed ? 1 : $? & 127 ? 128 + ($? & 127) : $? >> 8;
}

sub report {
  my %result = map { (split /\t/)[0, 3] } read_lines("$_[0]/results.tsv");
  my (%all, %killed);
  for my $mutant (grep { $_->{state} eq 'chosen' && $result{$_->{number}} } read_table($_[0])) {
    my $is_killed = $result{$mutant->{number}} ne 'survived';
    for ($mutant->{file}, 'all') { $all{$_} += 1; $killed{$_} += $is_killed }
    printf "%s:%d survived\n  %s\n", @$mutant{qw(file line name)} if !$is_killed;
  }
  die "mutants: none were chosen\n" if !%all;
  for (sort keys %all) {
    printf "%4d of %4d killed: %5.1f %%  %s\n", $killed{$_}, $all{$_}, 100 * $killed{$_} / $all{$_}, $_;
  }
  return $killed{all} < 0.95 * $all{all};
}

my $command = shift;
exit({make => \&make, refuse => \&refuse, run => \&run, report => \&report}->{$command}->(@ARGV) || 0);
