#!/usr/bin/perl
# Waivers: what they accept, when they hold, and those that were not used.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
require './tests/ci/latency/case.pl';
our ($status, $out, $err, $dir);

my $co = assemble_file('tests/ci/latency/latency.s', "$dir/latency.co");

sub case_with {
	my ($waivers) = @_;
	return latency_case("$dir/case.yaml", 'none', '', "races: {latency: fail}\n$waivers");
}

sub run_with {
	my ($waiver, @options) = @_;
	return mxcheck('run', '--case', case_with($waiver ? "waivers:\n  - {$waiver}" : ''), @options);
}

is(run_with(''), 3, 'without a waiver the race fails');
my ($pc) = $out =~ /race-lds-latency: overwrites\+(0x\w+) buffer_load_dword/;
my $race = 'finding: race-lds-latency';
run_with('', '-v');
like($out, qr/^ +code: \Q$co\E, XXH3 (\w{16})$/m, '-v prints the hash of the code object');
my ($hash) = $out =~ /XXH3 (\w{16})$/m;

# ---- what a waiver covers ----

for ("kernel: overwrites", "pc: $pc", "pc: 0x0-0x100", 'instruction: offen lds', "pc: $pc, code: \"$hash\"",
	'kernel: overwrites, until: 2999-12-31') {
	is(run_with("$race, $_, reason: memory takes longer"), 0, "waived by $_") or diag $out, $err;
	like($out, qr/^ +order: not proved.*\n +notes: 1 waived/m, '  not proved; the note is counted');
}
run_with("$race, pc: $pc, reason: memory takes longer", '--notes');
like($out, qr/^ +waived: race-lds-latency at $pc: memory takes longer$/m, '--notes prints the reason');
unlike($out, qr/not used/, '  and the waiver was used');

my @not = (
	[ "finding: race-lds, pc: $pc", 'another kind' ],
	[ "$race, kernel: other", 'another kernel' ],
	[ "$race, pc: 0x0", 'another place' ],
	[ "$race, instruction: ds_write", 'another instruction' ],
	[ "$race, pc: $pc, code: \"0123456789abcdef\"", 'another code object' ],
);
for (@not) {
	my ($waiver, $what) = @$_;
	is(run_with("$waiver, reason: none"), 3, "$what is not waived");
	like($out, qr/^waiver not used: \S+case\.yaml: .*: none$/m, '  and the waiver is reported');
}
is(run_with("$race, pc: $pc, reason: old, until: 2020-02-29"), 3, 'nothing is waived after the last day');
like($out, qr/^waiver expired: \S+: race-lds-latency at $pc: old$/m, '  and the waiver is reported');

# ---- a file of waivers ----

my $file = spew("$dir/waivers.yaml", "waivers:\n  - {$race, kernel: overwrites, reason: in a file}\n");
is(run_with('', '--waive', $file), 0, '--waive');
is(run_with('', '--waive', $file, '--require-proof'), 3, '  does not prove anything');
like($out, qr/reproduce: .* --waive '\Q$file\E'/, '  and the command that reproduces has it');
spew("$dir/waivers.yaml", "waivers:\n  - {$race, kernel: other, reason: none}\n");
run_with('', '--waive', $file, '--races', 'latency=report');
like($out, qr/^waiver not used: \Q$file\E: race-lds-latency in other: none$/m, 'one of a file that is not used');

# ---- wrong input ----

my %bad = (
	'finding: race-lsd, pc: 0x0, reason: x' => 'finding: not a kind of finding that can be waived',
	'finding: fault, pc: 0x0, reason: x' => 'finding: not a kind of finding that can be waived',
	"$race, reason: x" => 'a place is missing: kernel, pc or instruction',
	"$race, pc: here, reason: x" => 'pc: not 0xFROM or 0xFROM-0xTO',
	"$race, pc: 0x8-0x4, reason: x" => 'pc: not 0xFROM or 0xFROM-0xTO',
	"$race, pc: 0x8, reason: x, code: 12" => 'code: not the 16 hexadecimal digits that -v prints',
	"$race, pc: 0x8, reason: x, until: 2026-02-30" => 'until: not a date YYYY-MM-DD',
	"$race, pc: 0x8, reason: x, until: soon" => 'until: not a date YYYY-MM-DD',
);
for (sort keys %bad) {
	is(run_with($_), 2, "$_ is refused");
	like($err, qr/\Amxcheck: \S+case\.yaml:\d+: waivers\[0\]: \Q$bad{$_}\E\n\z/, '  in one line');
	spew("$dir/bad.yaml", "waivers:\n  - {$_}\n");
	is(run_with('', '--waive', "$dir/bad.yaml"), 2, '  in a file of waivers too');
	like($err, qr/\Amxcheck: \S+bad\.yaml:2: waivers\[0\]: \Q$bad{$_}\E\n\z/, '  in one line');
}
is(run_with("$race, pc: 0x8"), 2, 'a waiver without a reason is refused');
like($err, qr/missing key: reason/, '  in words');
is(run_with('', '--waive', "$dir/none.yaml"), 2, 'so is a file that does not exist');

done_testing();
