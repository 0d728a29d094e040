#!/usr/bin/perl
# The page of --html: its data, that it needs nothing else, and its behaviour in Chromium.
use strict;
use warnings;
use JSON::PP;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $status, $out, $err, $dir);

my $page   = "$dir/page.html";
my $good   = 'gemm/mxfp4_bf16/1x1x32/exact';
my $bad    = 'gemm/mxfp4_bf16/128x128x256/exact';
my @broken = ('run', '--case', 'cases/gemm/mxfp4_bf16.yaml', '--co', "$build/kernels/broken/bf16_truncate.co", '--html', $page);

sub data_of { my ($json) = slurp($_[0]) =~ m{<script type="application/json" id="data">(.*?)</script>}s; return decode_json($json) }

# ---- data ----

mxcheck(@broken, '--history', "$dir/history.db", $good, $bad) for 1 .. 2;
is($status, 1, 'a run with a page has its own status') or diag $err;
my $data = data_of($page);
is_deeply([ map { $_->{outcome} } @{ $data->{runs} } ], [ 'fail', 'pass' ], 'the page has the runs');
ok($data->{start}{device} eq 'emu' && $data->{end}{failed} == 1, '  and start and end');
my ($map) = @{ $data->{runs}[0]{maps} };
is_deeply([ @$map{qw(rows cols cell grid)} ], [ 128, 128, [ 2, 2 ], [ 64, 64 ] ], 'the map of an output of 128 x 128');
my $wrong = 0;
$wrong += $_ for @{ $map->{wrong} };
is($wrong, $data->{runs}[0]{numbers}{wrong}, '  counts every wrong element');
my @corner = map { $map->{writers}[$_] } 0, 63, 63 * 64, 64 * 64 - 1;
is(join(' ', map { join ',', @$_ } @corner), '0,0,0,0 0,0,0,1 0,0,0,2 0,0,0,3', '  and has the wave that wrote each quarter') or diag explain \@corner;
my $window = $map->{window};
my ($first) = grep { $_->{wrong} } @{ $window->{values} };
my ($got, $want) = $data->{runs}[0]{findings}[0]{text} =~ /is (0x\w+) \(.*must be (0x\w+) /;
is_deeply([ $first->{got}[0], $first->{want}[0] ], [ $got, $want ], 'the window has the first wrong element');
is(scalar @{ $window->{values} }, $window->{rows} * $window->{cols}, '  and its neighbours');
ok(!exists $data->{runs}[1]{maps}, 'a run that passes has no map');
is(scalar @{ $data->{history}{runs}{$bad} }, 2, 'trends of both entries');
is($data->{history}{runs}{$bad}[0][1], 'fail', '  with their outcomes');

# ---- maps of other outputs ----

sub maps_of { mxcheck('run', '--html', "$dir/maps.html", @_); return @{ data_of("$dir/maps.html")->{runs}[0]{maps} // [] } }
sub sum { my $n = 0; $n += $_ for @_; return $n }

my @of_groups = maps_of('--case', 'cases/gemm/mxfp8_grouped_bf16.yaml', '--co', "$build/kernels/broken/last_fragment.co", '*/300x288x640/exact');
is(scalar @of_groups, 1, 'groups have a map');
is(sum(@{ $of_groups[0]{wrong} }), data_of("$dir/maps.html")->{runs}[0]{numbers}{wrong}, '  with every wrong element');
ok($of_groups[0]{writers}, '  and the waves');

sub npy_of {
	my ($file, $n) = @_;
	my $header = "{'descr': '<u4', 'fortran_order': False, 'shape': ($n, 64), }";
	$header .= ' ' x (117 - length $header) . "\n";
	return spew("$dir/$file", "\x93NUMPY\x01\x00" . pack('v', length $header) . $header . pack 'V*', map { $_ + 1 } 0 .. 64 * $n - 1);
}
npy_of('one.npy', 1);
npy_of('cube.npy', 6);
compile(spew("$dir/two.c", <<'END'), "$dir/two.co");
__attribute__((device_kernel)) void two(__attribute__((address_space(1))) unsigned *one, __attribute__((address_space(1))) unsigned *cube) {
	unsigned t = __builtin_amdgcn_workitem_id_x();
	one[t] = t + (t != 3);
	for (unsigned i = 0; i < 6; i++)
		cube[64 * i + t] = 64 * i + t + (i != 4);
}
END
my @two = maps_of('--case', spew("$dir/two.yaml", <<'END'));
name: two
code: two.co
kernel: two
grid: [1]
block: [64]
buffers:
  - {name: ONE, role: none, type: u32, rows: 1, cols: 64, data: poison, expect: one.npy}
  - {name: CUBE, role: none, type: u32, batch: 3, rows: 2, cols: 64, data: poison, expect: cube.npy}
kernarg:
  - {offset: 0, type: ptr, value: ONE}
  - {offset: 8, type: ptr, value: CUBE}
verdict: {judge: expect}
runs:
  - {M: 1, N: 1, K: 32, regime: general}
END
is_deeply([ map { "$_->{buffer} $_->{rows}x$_->{cols} " . sum(@{ $_->{wrong} }) } @two ], [ 'ONE 1x64 1', 'CUBE 6x64 64' ], 'each wrong output has a map, a batch too') or diag $out, $err;
my ($three) = grep { $_->{wrong} } @{ $two[0]{window}{values} };
is_deeply([ $three->{got}, $three->{want} ], [ [ '0x00000003', '3' ], [ '0x00000004', '4' ] ], '  with values');
spew("$dir/close.yaml", slurp("$dir/two.yaml") =~ s/u32/f32/gr =~ s/judge: expect/judge: close, atol: 0/r);
my @close = maps_of('--case', "$dir/close.yaml");
ok(@close == 2 && !length((grep { $_->{wrong} } @{ $close[0]{window}{values} })[0]{want}[0]), 'a value that is no code has none') or diag $out, $err;

sub bytes_of {
	my ($file, $words, $wrong) = @_;
	my $header = "{'descr': '|u1', 'fortran_order': False, 'shape': (1, " . 4 * $words . "), }";
	$header .= ' ' x (117 - length $header) . "\n";
	return spew("$dir/$file", "\x93NUMPY\x01\x00" . pack('v', length $header) . $header . pack 'V*', map { $_ + 1 } 0 .. $words - 1);
}
bytes_of('nibbles.npy', 64);
bytes_of('sixes.npy', 384);
spew("$dir/packed.yaml", slurp("$dir/two.yaml") =~ s/u32, rows: 1, cols: 64(.*)one/e2m1, rows: 1, cols: 512$1nibbles/r =~ s/u32, batch: 3, rows: 2, cols: 64(.*)cube/e2m3, rows: 1, cols: 2048$1sixes/r);
my @packed = maps_of('--case', "$dir/packed.yaml");
is_deeply([ map { "$_->{buffer} $_->{rows}x$_->{cols}" } @packed ], [ 'ONE 1x512', 'CUBE 1x2048' ], 'packed codes have maps') or diag $out, $err;
($three) = grep { $_->{wrong} } @{ $packed[0]{window}{values} };
is_deeply([ sum(@{ $packed[0]{wrong} }), $three->{got}, $three->{want} ], [ 1, [ '0x3', '1.5' ], [ '0x4', '2' ] ], '  of FP4');
my ($is, $must) = map { my $all = $_; unpack 'b*', pack 'V*', map { $_ + ($all || int($_ / 64) != 4) } 0 .. 383 } 0, 1;
is(sum(@{ $packed[1]{wrong} }), scalar(grep { substr($is, 6 * $_, 6) ne substr $must, 6 * $_, 6 } 0 .. 2047), '  and of FP6');
my @copies = maps_of('--case', 'cases/sequence/quantise_shuffle_gemm.yaml', '--co', "$build/kernels/broken/scale_tiles.co", '*/45x70x416/general');
is("$copies[0]{buffer} $copies[0]{rows}x$copies[0]{cols}", 'SHUFFLED 45x13', 'a copy in another layout has a map') or diag $out;
my ($code) = grep { $_->{wrong} } @{ $copies[0]{window}{values} };
like(join(' ', @{ $code->{want} }), qr/^0x[0-9a-f]{2} [\d.e+-]+$/, '  with the code that it must have') or diag explain $code;

my @race = ('run', '--case', 'cases/gemm/mxfp4_pingpong_f32.yaml', '--co', "$build/kernels/broken/missing_barrier.co", '--html', "$dir/race.html", 'gemm/mxfp4_pingpong_f32/128x128x1536/general');
is(mxcheck(@race), 3, 'a race');
my ($run) = @{ data_of("$dir/race.html")->{runs} };
my $found = $run->{findings}[ $run->{race}{finding} ];
my ($earlier, $later) = grep { $_->{access} } @{ $run->{race}{steps} };
is_deeply([ $earlier->{pc}, $later->{pc} ], [ $found->{earlier}{pc}, $found->{at}{pc} ], 'the steps have both accesses');
is_deeply([ $earlier->{instruction}, $later->{instruction} ], [ $found->{earlier}{instruction}, $found->{at}{instruction} ], '  as instructions');
ok($earlier->{time} < $later->{time} && $earlier->{land} > $earlier->{time}, '  with the times of issue and landing');
my @times = map { $_->{time} } @{ $run->{race}{steps} };
is_deeply(\@times, [ sort { $a <=> $b } @times ], '  in order of time');
mxcheck('run', '--case', 'cases/gemm/mxfp4_f32.yaml', '--co', "$build/kernels/broken/loose_wait.co", '--html', "$dir/loose.html", 'gemm/mxfp4_f32/64x64x256/general');
my $loose = data_of("$dir/loose.html")->{runs}[0]{race};
is_deeply([ map { $_->{instruction} =~ /^(s_barrier|s_waitcnt)/ } @{ $loose->{steps} } ], [ 's_waitcnt', 's_barrier' ], '  and the waits and barriers between them');
ok($loose->{same_wave}, '  which may be of one wave');

my $source = slurp('tests/ci/own_kernel/mxfp4_small.c') =~ s/block = k \/ BLOCK/block = 1 + k \/ BLOCK/r;
compile_with(spew("$dir/<b>.c", $source), "$dir/debug.co", '-O2', '-g');
mxcheck('run', '--case', 'tests/ci/own_kernel/mxfp4_small.yaml', '--co', "$dir/debug.co", '--html', "$dir/source.html", '*/16x16x128/exact');
my ($read) = grep { $_->{at}{source} } @{ data_of("$dir/source.html")->{runs}[0]{findings} };
my ($line) = grep { $_->[0] == $read->{at}{line} } @{ $read->{at}{source} };
is($line->[1], (split /\n/, $source)[ $read->{at}{line} - 1 ], 'source lines where there is DWARF');

# ---- one file ----

my $html = slurp("$dir/source.html");
unlike($html, qr/(?:src|href)\s*=|\@import|url\(|fetch\(|XMLHttpRequest/, 'the page loads nothing');
unlike($html =~ s{<!--.*?-->}{}sr, qr{<b>}, 'text of files is not HTML');
is(scalar(() = $html =~ m{</script>}g), 2, '  and ends no script');
is(mxcheck('--html', '-', $good), 0, '--html -');
like($out, qr{\A<!DOCTYPE html>.*</html>\n\z}s, '  is the page alone');

# ---- in Chromium ----

my ($browser) = grep { -x } map { my $d = $_; map { "$d/$_" } 'chromium', 'chromium-browser', 'google-chrome' } split /:/, $ENV{PATH};

# The document after a script that the test adds; the script may wait for what it starts.
sub after {
	my ($file, $script, $width) = (@_, 800);
	spew("$dir/tried.html", slurp($file) =~ s{</body>}{<script>$script</script></body>}r);
	run('timeout', 60, $browser, '--headless', '--no-sandbox', '--disable-gpu', "--user-data-dir=$dir/profile", "--window-size=$width,800", '--dump-dom', "file://$dir/tried.html");
	return $out =~ m{<output id="tried">(.*?)</output>}s ? $1 =~ s/&gt;/>/gr =~ s/&lt;/</gr : $err;
}

SKIP: {
	skip 'no Chromium', 4 if !$browser;
	my $script = <<'END';
const said = [], say = x => said.push(x);
const rows = () => [...document.querySelectorAll('td button.name')].map(b => b.textContent);
const set = (id, value) => { const e = document.getElementById(id); e.value = value; e.dispatchEvent(new Event(id === 'filter' ? 'input' : 'change')); };
say(document.querySelector('h1').textContent);
say(rows().length + ' ' + document.querySelectorAll('tr.detail').length);
document.querySelectorAll('th button')[1].click(); say(rows().map(n => n.split('/')[2]).join(' '));
document.querySelectorAll('th button')[1].click(); say(rows().map(n => n.split('/')[2]).join(' '));
set('filter', 'wrong-bits'); say(rows().length);
set('filter', '1x1x32'); say(rows().join());
set('filter', ''); set('outcome', 'pass'); say(rows().length);
set('outcome', '');
const canvas = document.querySelector('canvas');
for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) canvas.dispatchEvent(new KeyboardEvent('keydown', { key }));
say(document.querySelector('canvas + p').textContent.replace(/: \d+ of/, ': N of'));
const name = document.querySelector('td button.name'); name.focus(); name.click();
say(document.activeElement.getAttribute('aria-expanded') + ' ' + document.querySelectorAll('svg').length);
say(document.documentElement.scrollWidth <= innerWidth);
document.body.append(Object.assign(document.createElement('output'), { id: 'tried', textContent: said.join('\n') }));
END
	is(after($page, $script), join("\n", 'mxcheck: 1 passed, 1 failed', '2 1', '128x128x256 1x1x32', '1x1x32 128x128x256', 1, $good, 1,
			'rows 2 to 3, columns 2 to 3: N of 4 wrong; workgroup 0,0,0 wave 0', 'true 8', 'true'),
		'counts, sorting, filters, the keyboard in the map, details, trends, width');
	my $text = "document.body.append(Object.assign(document.createElement('output'), { id: 'tried', textContent: [...document.querySelectorAll('tr.access')].map(r => r.textContent).join('\\n') }));";
	like(after("$dir/race.html", $text), qr/^\d+\+0x[0-9a-f]+ +buffer_load.* lds.*lands at \d+\n\d+\+0x[0-9a-f]+ +ds_read/, 'a race has its two accesses');
	$text = <<'END';
const main = document.querySelector('main'), name = document.querySelector('td button.name'), time = document.querySelector('.time');
const shown = [...document.querySelectorAll('#cases > thead th')].filter(h => h.offsetWidth).map(h => h.innerText.replace(/ .$/, ''));
const lines = [...name.childNodes].filter(n => n.nodeType === 3).map(n => { const r = document.createRange(); r.selectNode(n); return r.getClientRects().length; });
const said = [shown, main.scrollWidth <= main.clientWidth, time.scrollWidth <= time.parentNode.clientWidth, Math.max(...lines)];
document.body.append(Object.assign(document.createElement('output'), { id: 'tried', textContent: said.join(' ') }));
END
	is(after("$dir/race.html", $text, 500), 'Outcome,Run true true 1', 'a phone has the names, which break after slashes, and all of the times');
	$text = "document.body.append(Object.assign(document.createElement('output'), { id: 'tried', textContent: document.querySelector('.source .here').textContent }));";
	is(after("$dir/source.html", $text) =~ s/\A\s*\d+\s+|\s+\z//gr, $line->[1] =~ s/^\s+//r, 'the source line is marked');
}

done_testing();
