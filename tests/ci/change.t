#!/usr/bin/perl
# mxcheck ci: the runs that a change touches, and the workflow files, in a scratch repository.
use strict;
use warnings;
use Cwd qw(getcwd abs_path);
use CPAN::Meta::YAML;
use File::Copy qw(copy);
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $status, $out, $err, $dir);

my $here = getcwd();
my $made = abs_path($build);
$mxcheck = "$made/mxcheck";
plan skip_all => 'git is not installed' if run('git', '--version');

my $repository = "$dir/kernels of a team";
my %kernel = (fp4 => "$made/kernels/gemm/mxfp4_gemm.co", fp8 => "$made/kernels/gemm/mxfp8_gemm.co");
my @gate = ('ci', '--base', 'main', '--device', 'emu');
local @ENV{qw(GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM)} = ('/dev/null', '/dev/null');

sub git { run('git', '-c', 'user.name=A', '-c', 'user.email=a@example.org', '-c', 'init.defaultBranch=main', @_) == 0 or BAIL_OUT("git @_: $err") }
sub commit { git('add', '-A'); git('commit', '-qm', $_[0]) }

# A branch of its own for each change, from main.
sub change { git('checkout', '-q', '-f', 'main'); git('clean', '-qfdx'); git('checkout', '-q', '-B', 'change') }
sub touched { return $out =~ /^ci: \d+ files differ from \w{12}; they touch (\d+ of \d+) runs$/m ? $1 : $err }

# ---- the repository: two cases with their code objects, a baseline ----

mkdir $repository and mkdir "$repository/cases" and chdir $repository or BAIL_OUT($!);
for ([ 'fp4', 'mxfp4_bf16' ], [ 'fp8', 'mxfp8_f32' ]) {
	my ($name, $from) = @$_;
	my $text = slurp("$here/cases/gemm/$from.yaml") =~ s/^code:.*/code: $name.co/mr;
	spew("cases/$name.yaml", $text =~ s/^runs:.*//msr . <<'END');
runs:
  - {M: 1, N: 1, K: 128, regime: exact}
  - {M: 64, N: 64, K: 512, regime: general}
  - {M: 256, N: 256, K: 512, regime: general, tags: [long]}
END
	copy($kernel{$name}, "cases/$name.co") or BAIL_OUT("$kernel{$name}: $!");
}
spew('Makefile', "all:\n\t\@true\n");
git('init', '-q', '.');
is(mxcheck('ci', '--base', 'HEAD'), 2, 'a repository without a commit');
commit('kernels');
mxcheck('ci', '--base', 'main', '--baseline', 'cases/accuracy.baseline', '--update-baseline');
is($status, 0, 'a baseline is made') or diag $err;
commit('baseline');

# ---- what a change touches ----

is(mxcheck(@gate), 0, 'no change passes');
is(touched(), '0 of 4', '  and runs nothing; long runs do not count');
change();
spew('README', 'about');
spew('cases/fp4.yaml', slurp('cases/fp4.yaml') . "# a comment\n");
is(mxcheck(@gate), 0, 'a change of one case file');
is(touched(), '2 of 4', '  touches its runs');
commit('comment');
mxcheck(@gate);
is(touched(), '2 of 4', '  committed, too');
mxcheck(@gate, '*/256x256x512/*');
is(touched(), '1 of 2', '  and a long one by its name');
change();
unlink 'cases/fp4.yaml';
spew('cases/fp8.yaml', slurp('cases/fp8.yaml') =~ s/^  - \{M: 1,.*\n//mr);
my @reports = ('--json', "$dir/d.jsonl", '--junit', "$dir/d.xml", '--sarif', "$dir/d.sarif", '--github');
is(mxcheck(@gate, @reports), 1, 'a change that deletes runs fails');
my ($fp4, $fp8) = map { slurp("$here/cases/gemm/$_.yaml") =~ /^name: (\S+)/m } 'mxfp4_bf16', 'mxfp8_f32';
my @deleted = ((map { "$fp4/$_" } qw(1x1x128/exact 64x64x512/general 256x256x512/general)), "$fp8/1x1x128/exact");
is_deeply([ $out =~ /^ci: the change deletes (\S+)$/mg ], \@deleted, '  and names them, of a file and in a file');
is_deeply([ $out =~ /^FAIL  run was deleted: (\S+)$/mg ], \@deleted, '  also at the end');
like($out, qr/^::error title=run was deleted::\Q$fp4\E/m, '  annotations have them');
like(slurp("$dir/d.jsonl"), qr/"why":"was deleted","row":"\Q$fp4\E/, '  JSON');
like(slurp("$dir/d.xml"), qr{<testcase classname="runs" name="\Q$fp4\E[^"]*" time="0">\s*<failure message="was deleted"/>}, '  JUnit');
like(slurp("$dir/d.sarif"), qr{run was deleted: \Q$fp4\E}, '  SARIF');
is(mxcheck(@gate, '--allow-deleted'), 0, '  --allow-deleted lets it pass');
like($out, qr/^ci: the change deletes /m, '  and names them all the same');
is(mxcheck('--allow-deleted'), 2, '  it is for mxcheck ci');
change();
rename 'cases/fp4.yaml', 'cases/moved.yaml';
is(mxcheck(@gate), 0, 'a case file that moves deletes nothing');
change();
spew('cases/fp4.yaml', slurp('cases/fp4.yaml') . "# a comment\n");
commit('comment');
git('checkout', '-q', 'main');
spew('cases/fp4.yaml', slurp('cases/fp4.yaml') . "# main goes on\n");
commit('main goes on');
git('checkout', '-q', 'change');
git('reset', '-q', '--hard', 'HEAD~1');
mxcheck(@gate);
is(touched(), '0 of 4', 'what has changed on main alone does not count');
change();
copy($kernel{fp8}, 'cases/new.co');
spew('cases/new.yaml', slurp('cases/fp8.yaml') =~ s/fp8\.co/new.co/r =~ s/^name: \S+/name: new/mr);
mxcheck(@gate);
is(touched(), '2 of 6', 'new files touch their runs');
unlink 'cases/new.co', 'cases/new.yaml';
utime 1, 1, glob 'cases/*';
mxcheck(@gate);
is(touched(), '0 of 4', 'a newer time alone does not');
spew('.gitignore', "*.co\n");
git('rm', '-q', '--cached', 'cases/fp8.co');
commit('code objects are built');
mxcheck(@gate);
is(touched(), '2 of 4', 'a code object that git does not track counts as changed');
my $insn = 'v_mfma_scale_f32_16x16x128_f8f6f4_E4M3_E4M3';
spew("$dir/narrow.yaml", "device: GPU\ndriver: '7'\ndate: '2026-11-23'\nprofiles:\n  - name: $insn\n    questions: 9\n    random: 0\n    fields:\n" .
		join '', map { "      - {field: $$_[0], value: $$_[1], fidelity: measured, source: x}\n" } [ group => 32 ], [ fused => 1 ], [ align => 13 ]);
is(mxcheck(@gate, '--profile', "$dir/narrow.yaml"), 0, '  measured profiles') or diag $out, $err;
like($out, qr/^numbers rest on: profile $insn \(measured on GPU, 7, 2026-11-23\)/m, '  are those of the gate');
mxcheck(@gate, '--cache', '.mxcheck') for 1 .. 2;
like($out, qr/^2 passed, 0 failed, 2 from the cache, /m, '  unless the cache has it');
change();
spew('cases/accuracy.baseline', slurp('cases/accuracy.baseline') . "# a comment\n");
mxcheck(@gate, '--baseline', 'cases/accuracy.baseline');
is(touched(), '4 of 4', 'the baseline touches all');
change();
spew('expected.yaml', "expect: []\n");
mxcheck(@gate, '--expect', 'expected.yaml');
is(touched(), '4 of 4', 'so do expected failures');

# ---- the workflow files, with four changes ----

my $github = CPAN::Meta::YAML->read("$here/ci/package/github.yml")->[0];
my $gitlab = CPAN::Meta::YAML->read("$here/ci/package/gitlab.yml")->[0];
my %scripts = (
	github => join("\n", map { $_->{run} // () } @{ $github->{jobs}{gate}{steps} }),
	gitlab => join("\n", @{ $gitlab->{gate}{script} }),
);
my %changes = (
	fine    => [ 0, sub { spew('cases/fp4.yaml', slurp('cases/fp4.yaml') . "# a comment\n") }, qr/^2 passed, 0 failed/m ],
	wrong   => [ 1, sub { copy("$made/kernels/broken/bf16_truncate.co", 'cases/fp4.co') }, qr/^ +wrong-bits: /m ],
	race    => [ 3, sub { copy("$made/kernels/broken/loose_wait.co", 'cases/fp4.co') }, qr/^ +race-lds: /m ],
	snr     => [ 1, sub { spew('cases/accuracy.baseline', slurp('cases/accuracy.baseline') =~ s/(snr_unq: )([\d.]+)/$1 . sprintf '%.4f', $2 + 0.1/er) }, qr/^ +accuracy: worse than in .*: snr_unq is/m ],
);
git('remote', 'add', 'origin', '.');
for my $name (sort keys %changes) {
	my ($expected, $make, $text) = @{ $changes{$name} };
	for my $server (sort keys %scripts) {
		change();
		git('fetch', '-q', 'origin');
		$make->();
		commit($name);
		chomp(my $base = qx(git rev-parse main));
		local $ENV{PATH} = "$made:$ENV{PATH}";
		local @ENV{qw(GITHUB_BASE_REF CI_MERGE_REQUEST_DIFF_BASE_SHA)} = ('main', $base);
		is(run('bash', '-e', '-c', $scripts{$server}), $expected, "$server: a change: $name") or diag $out, $err;
		like($out, $text, '  with its finding');
		ok(-s 'mxcheck.xml' && -s 'mxcheck.jsonl' && -s 'mxcheck.html', '  and its reports');
	}
}

# ---- wrong input ----

change();
is(mxcheck('ci'), 2, '--base is needed');
is(mxcheck('ci', '--base', 'nothing'), 2, 'no such revision');
like($err, qr/^mxcheck: ci: --base nothing: no such revision$/m, '  in one line');
is(mxcheck('ci', '--base', '--help'), 2, 'an option as revision');
is(mxcheck(@gate, '--cases', 'nowhere'), 2, 'no such folder');
is(mxcheck('--base', 'main'), 2, '--base is for ci');
is(mxcheck('--cases', 'cases'), 2, '--cases too');
git('checkout', '-q', '--orphan', 'other');
commit('other');
is(mxcheck(@gate), 2, 'a base without a common commit');
chdir '/';
is(mxcheck(@gate, '--cases', "$repository/cases"), 2, 'a folder outside a repository');
like($err, qr/^mxcheck: ci: the current folder is not in a git repository$/m, '  in one line');
{
	local $ENV{PATH} = '/nowhere';
	is(system("$mxcheck @gate --cases '$repository/cases' 2>'$dir/no-git'") >> 8, 2, 'git is not installed');
	like(slurp("$dir/no-git"), qr/^mxcheck: ci: git cannot be started$/m, '  in one line');
}
chdir $here;

done_testing();
