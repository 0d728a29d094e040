# Random programs with features that csmith lacks: all floating-point types, vectors, LDS, atomics,
# divergence. They consist of phases (platform.h) with the operations of arith.h.
use strict;
use warnings;

my (%bits, %signed, %elements, %element);
$bits{$_}   = s/\D//gr for qw(i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64);
$bits{bf16} = 16;
my @all_integers = qw(i8 u8 i16 u16);
my @all_floats   = qw(f16 bf16 f32 f64);
my @all_vectors  = qw(u8x4 i16x2 u16x4 i16x8 i32x2 i32x4 u32x4 u32x8 i64x2 u64x4 f16x2 f16x4 f16x8 bf16x2
	bf16x4 f32x2 f32x4 f32x8 f64x2 f64x4);
for (@all_vectors) { ($element{$_}, $elements{$_}) = /^(\w+)x(\d)$/ }

# LDS: an array of each of these types, twice. In a phase a work-item writes its slots of one copy
# and reads any slots of the other.
my @all_slots = qw(u8 u16 u32 u64 f32 f64 u32x4 f16x4);

# The types of this program.
my (@integers, @floats, @scalars, @vectors, @types, @slots);

my ($state, $phase, $functions, $whole_waves);
our $in_function; # the type of its argument

# ---- random choices, the same on every machine ----

sub below {
	my ($n) = @_;
	$state = ($state * 1103515245 + 12345) & 0x7fffffff;
	return ($state >> 8) % $n;
}
sub some_of {
	my ($n, @list) = @_;
	return map { splice @list, below(scalar @list), 1 } 1 .. $n;
}
sub one_of { return @_ ? $_[ below(scalar @_) ] : undef }
sub is_float { return $_[0] =~ /^b?f/ }
sub is_vector { return exists $element{ $_[0] } }
sub scalar_of { return $element{ $_[0] } // $_[0] }

# ---- expressions ----

# Types that convert to a floating-point type with one rounding: through f32, a long integer would
# be rounded twice to bf16.
sub converts {
	my ($from, $to) = @_;
	return is_float($from) == is_float($to) || is_float($to)
		&& ($to ne 'bf16' || $bits{$from} <= 16);
}

sub constant {
	my ($t) = @_;
	return "($t)" . one_of(qw(1.0 -1.0 0.5 2.0 0.15915494 -4.0 3.14 1e-3 -12345.678 7e4))
		if is_float($t);
	return "($t)" . one_of(0, 1, 2, 7, 31, 64, 255, -1, -16, -17, '0x7fffffff', '0x80000000u',
		'0x123456789abcdef', below(1 << 23));
}

sub leaf {
	my ($t, $varies) = @_;
	return "($t)(" . leaf(scalar_of($t), $varies) . ')' if is_vector($t) && !below(4);
	my @from = ("self->${t}_" . below(2)) x 4;
	push @from, "a$t" if $in_function && $in_function eq $t;
	if (!is_vector($t)) {
		push @from, constant($t) if !$varies;
		push @from, "in_$t(&self->place, " . below(1000) . ')' if !below(4);
		push @from, map { "($t)$_" } qw(self->place.me self->place.group) if converts('u32', $t);
		push @from, ("($t)uniform") x 2
			if $phase && $whole_waves && !$in_function && converts('u64', $t);
	}
	push @from, ("lds.$t\[" . (~$phase & 1) . "][self->u32_" . below(2) . ' % ITEMS]') x 2
		if $phase && !$in_function && grep { $_ eq $t } @slots;
	return one_of(@from);
}

sub condition {
	my ($depth) = @_;
	my $t = one_of(@scalars);
	return sprintf '%s %s %s', expression($t, $depth), one_of(qw(< <= > >= == !=)),
		expression($t, $depth);
}

# The operations. <letter> is an expression and <LETTER> the name of a type: e the type itself, h the
# same but opaque, s its element type, u u32, j i32, i any integer, f any floating-point type, c a type
# that converts to it, v a vector of integers, w a vector of that type.
my $e = '__builtin_elementwise_';
my @shared = ('<condition> ? <e> : <e>', '(<w>)[<u> & <LAST>]', '<call>');
my @rounded = map { "${e}$_(<e>)" } qw(floor ceil trunc rint roundeven abs);
my @extreme = ((map { "OPAQUE(${e}$_(<e>, <e>))" } qw(minimumnum maximumnum)),
	map { "${e}$_(<e>, <e>)" } qw(minimum maximum));
my @compare = ('(<e> < <e>) ? <e> : <e>', '(<e> == <e>) ? <e> : <e>');
my @basic   = map { "<e> $_ <e>" } qw(+ - * / + - *);
my %operation = (
	integer => [
		(map { "<e> $_ <e>" } qw(+ + - - * * & | ^)), '~<e>', '-<e>', '!<e>',
		(map { "${_}_<E>(<e>, <e>)" } qw(shl shr div div mod mulhi clz ctz bfe)),
		(map { "${_}_<E>(<e>, <e>, <e>)" } qw(bfi med3)), '<condition>', '<i>', '<i>',
		'<E>_of_<F>(<f>)', '<E>_of_<F>(<f>)', 'bits_<F>(<f>)',
		(map { "${e}$_(<e>, <e>)" } qw(add_sat sub_sat min max)),
		(map { "${e}$_(<e>)" } qw(bitreverse popcount)), "${e}fshl(<e>, <e>, <e>)",
		'udot4(<u>, <u>, <u>)', 'sdot4(<j>, <j>, <j>)', 'perm(<u>, <u>, <u>)', 'sad_u8(<u>, <u>, <u>)',
		'sat4(<u>)', '(<E>)look_up(<u>, <u>, (u64)<u> << 32 | <u>)',
		(map { "__builtin_reduce_$_(<v>)" } qw(add xor max)), @shared, @shared,
	],
	float => [
		@basic, @basic, '-<e>', @rounded, @extreme, ('(<E>)<c>') x 5,
		"${e}copysign(<e>, canon_<E>(<e>))", @shared, @shared,
	],
	'integer vector' => [
		(map { "<e> $_ <e>" } qw(+ + - - * & ^)), '<h> | <h>', '~<e>', '-<e>', '<e> << (<e> & <MASK>)',
		'<e> >> (<e> & <MASK>)', '<h> / (<e> & 126 | 1)', '<h> % (<e> & 126 | 1)',
		(map { "${e}$_(<e>, <e>)" } qw(add_sat sub_sat min max)),
		(map { "${e}$_(<e>)" } qw(bitreverse popcount)), ('<VECTOR>') x 5, @compare,
	],
	'float vector' => [@basic, @basic, '-<e>', @rounded, @extreme, ('<VECTOR>') x 5, @compare],
);

# Operations of some types.
my @float_alike = ("${e}fma(<e>, <e>, <e>)", "${e}fma(<e>, <e>, <e>)", "${e}sqrt(<e>)");
my %more = (
	f16 => ['fma_<E>(<e>, <e>, <e>)', 'fma_<E>(<e>, <e>, <e>)'],
	f32 => \@float_alike,
	f64 => \@float_alike,
);
my %ldexp = (f32 => '__builtin_ldexpf(<e>, <j> % 300)', f64 => '__builtin_ldexp(<e>, <j> % 300)');

sub vector_from {
	my ($t) = @_;
	my ($s, $n) = ($element{$t}, $elements{$t});
	# Clang for x86-64 cannot convert vectors of one 16-bit type to the other.
	return grep { $elements{$_} == $n && converts($element{$_}, $s)
		&& "$element{$_} $s" !~ /^(f16 bf16|bf16 f16)$/ } @vectors;
}

sub vector_operation {
	my ($t, $d, $varies) = @_;
	my $n = $elements{$t};
	return one_of(
		sub { '__builtin_convertvector(' . operand(one_of(vector_from($t)), $t, $d, $varies) . ", $t)" },
		sub { "__builtin_shufflevector(<e>, <e>, " . join(', ', map { below(2 * $n) } 1 .. $n) . ')' },
		sub { "($t){" . join(', ', map { expression($element{$t}, $d - 1, $varies) } 1 .. $n) . '}' },
	)->();
}

# Clang 22 for AMDGPU compiles 0.0 - x to -x, which is wrong for x = +0 (SelectVOP3ModsImpl, "Fold
# fsub [+-]0 into fneg"). So no floating-point constant may be 0 or become 0 after folding: one
# operand varies, and an integer varies before it is converted. OPAQUE: see arith.h.
sub operand {
	my ($from, $to, $d, $varies) = @_;
	return leaf($from, 1) if is_float($to) && !is_float($from);
	my $text = expression($from, $d, $varies);
	return scalar_of($from) eq 'f32' && scalar_of($to) =~ /^b?f16$/ ? "OPAQUE($text)" : $text;
}

sub expression {
	my ($t, $depth, $varies) = @_;
	return leaf($t, $varies) if $depth <= 0;
	my $d    = $depth - 1;
	my $s    = scalar_of($t);
	my @ways = @{ $operation{ (is_float($t) ? 'float' : 'integer') . (is_vector($t) ? ' vector' : '') } };
	push @ways, @{ $more{$s} // [] }, is_vector($t) ? () : $ldexp{$t} // ();
	my %type = (e => $t, s => $s, u => 'u32', j => 'i32', i => one_of(@integers), f => one_of(@floats),
		c => one_of(grep { converts($_, $s) } @scalars), v => one_of(grep { !is_float($_) } @vectors),
		w => one_of(grep { $element{$_} eq $t } @vectors));
	my $text;
	do { $text = one_of(@ways) } while $text =~ /<([vw])>/ && !$type{$1};
	$text =~ s/<VECTOR>/vector_operation($t, $d, $varies)/e;
	$text = 'times_bf16(<e>, <e>)' if $t eq 'bf16' && $text eq '<e> * <e>';
	$text = 'OPAQUE(<e> * <e>)' if $t =~ /^bf16x/ && $text eq '<e> * <e>'; # or clang multiplies the one element that is used
	$text =~ s/<call>/$in_function ? '<e>' : call($t, $d)/e;
	$text =~ s/<condition>/condition($d)/e;
	$text =~ s/<LAST>/$elements{ $type{w} } - 1/e;
	$text =~ s/<MASK>/$bits{$s} - 1/e;
	$text =~ s/<([A-Z])>/$type{ lc $1 }/g;
	$text =~ s/<h>/$t eq 'u8x4' ? '<e>' : 'OPAQUE(<e>)'/ge; # which is not in a register
	$text =~ s/<([esw])>/expression($type{$1}, $d, $varies || is_float($t))/e;
	$text =~ s/<c>/operand($type{c}, $t, $d, 1)/e;
	$text =~ s/<([a-z])>/expression($type{$1}, $d, $varies)/ge;
	return is_float($t) || is_vector($t) ? "($text)" : "(($t)($text))";
}

# A call of a new function, sometimes of a recursive one.
sub call {
	my ($t, $d) = @_;
	my $n = $functions->{n}++;
	return leaf($t) if $n >= 6;
	my $call = "f$n(self, " . leaf('u32') . ', ' . expression($t, $d - 1) . ')';
	local $in_function = $t;
	my $again = below(2) ? "\tif (depth & 7)\n\t\treturn f$n(self, depth - 1, "
		. expression($t, 1) . ");\n" : '';
	$functions->{text} .= "static NOINLINE $t f$n(struct item *self, u32 depth, $t a$t) {\n"
		. "$again\treturn " . expression($t, 2) . ";\n}\n";
	return $call;
}

# ---- statements ----

sub block {
	my ($depth, $n) = @_;
	my $text = join '', map { statement($depth - 1) } 1 .. $n;
	return "{\n" . $text =~ s/^/\t/mgr . "}\n";
}

sub assignment {
	my $t = one_of(@types);
	my $to = "self->${t}_" . below(2);
	if (is_vector($t) && !below(4)) {
		my $s = $element{$t};
		return "$to\[OPAQUE(" . expression('u32', 1) . ") & @{[$elements{$t} - 1]}] = " . expression($s, 2) . ";\n";
	}
	return "$to = " . expression($t, 1 + below(3)) . ";\n";
}

# No case falls through, because clang 22 at -O1 then loses values in structured control flow.
sub switch {
	my ($depth) = @_;
	my $cases = 3 + below(8);
	return 'switch (' . expression('u32', 1) . " % @{[$cases + 1]}) {\n" . join('', map {
		"case $_:\n" . statement($depth - 1) =~ s/^/\t/mgr . "\tbreak;\n"
	} 0 .. $cases - 1) . "default:\n" . assignment() =~ s/^/\t/mgr . "}\n";
}

sub loop {
	my ($depth) = @_;
	my $i = "i$depth";
	return "for (u32 $i = 0; $i < (" . expression('u32', 1) . ' & ' . one_of(1, 3, 7) . "); $i++) {\n"
		. "\tif (" . condition(1) . ")\n\t\t" . one_of('continue', 'break') . ";\n"
		. join('', map { statement($depth - 1) =~ s/^/\t/mgr } 1 .. 2) . "}\n";
}

# A private array with an index that differs between work-items.
sub array {
	my $t = one_of(@scalars);
	return "{\n\t$t array[8] = { " . join(', ', map { expression($t, 1) } 1 .. 4) . " };\n"
		. "\tarray[" . expression('u32', 1) . ' & 7] = ' . expression($t, 1) . ";\n"
		. "\tself->${t}_0 = array[" . expression('u32', 1) . " & 7];\n}\n";
}

# Each word has one commutative operation, by its number; the last two add integers as floats.
sub atomic {
	my $k = below(34);
	my ($t, $op) = $k >= 32 ? (qw(f32 f64))[$k & 1]
		: ((qw(u32 i32 u64 i64))[$k & 3], (qw(add and or xor min max add cas))[$k >> 2]);
	my ($p, $scope) = @{ one_of(["(GLOBAL $t *)(self->place.totals + $k)", 'DEVICE'],
		["(LDS $t *)&lds.counter[" . $phase % 3 . "][$k]", 'WORKGROUP']) };
	$p = "($t *)($p)" if !below(4);
	return "ATOMIC(add, $p, ($t)(" . expression('u32', 1) . " & 255), $scope);\n" if $k >= 32;
	my $v = expression($t, 1);
	return "ATOMIC_CAS_ADD($t, $p, $v, $scope);\n" if $op eq 'cas';
	return "ATOMIC($op, $p, $v, $scope);\n";
}

sub statement {
	my ($depth) = @_;
	return assignment() if $depth <= 0;
	return one_of(
		(\&assignment) x 6,
		sub { 'if (' . condition(1) . ') ' . block($depth, 2)
			. (below(2) ? 'else ' . block($depth, 2) : '') },
		sub { switch($depth) },
		sub { loop($depth) },
		\&array,
		(\&atomic) x 2,
	)->();
}

# ---- the program ----

sub phase {
	return "static void phase_$phase(struct item *self) {\n" . $_[0] =~ s/^/\t/mgr . "}\n";
}

sub first_phase {
	my $text = '';
	for my $t (@types) {
		my @parts = is_vector($t) ? map { "[$_]" } 0 .. $elements{$t} - 1 : '';
		$text .= "self->${t}_$_->[0]$_->[1] = in_" . scalar_of($t) . '(&self->place, '
			. below(1 << 20) . ");\n" for map { ([0, $_], [1, $_]) } @parts;
	}
	return $text;
}

# Every work-item reads the counters of the previous phase.
sub counters {
	return $phase < 2 ? ''
		: join '', map { "self->u64_1 ^= lds.counter[" . ($phase - 1) % 3 . '][' . below(34) . "];\n" } 1 .. 3;
}

# Values of other lanes, and a value that the compiler finds uniform.
sub across_lanes {
	my $array = 'lds.u32[' . (~$phase & 1) . ']';
	return '' if !$whole_waves;
	return "u64 uniform = OF_ONE($array, " . below(64) . ") * 0x9e3779b97f4a7c15;\n"
		. "self->u32_0 ^= OF_ANY($array, self->u32_1);\n"
		. "self->i32_0 += ROTATED($array, " . (1 + below(15)) . ");\n"
		. "self->u64_0 -= ODD($array);\n"
		. "self->u32_1 += LANE_XOR($array, " . below(32) . ") ^ LANE_OF_8($array, " . below(8) . ");\n"
		. sprintf("self->u32_1 ^= LANE_BY($array, 0x" . "%04x" x 4 . "ull);\n", map { below(1 << 16) } 1 .. 4);
}

# Initialises the LDS that the next phase reads, and its counters.
sub for_next_phase {
	return join('', map { "lds.$_\[" . ($phase & 1) . '][self->place.me] = ' . expression($_, 1) . ";\n" }
		@slots) . "if (self->place.me < 34)\n\tlds.counter[" . ($phase + 1) % 3
		. "][self->place.me] = self->place.me < 32 ? 0x123456789abcdef * self->place.me : 0;\n";
}

sub results {
	my ($text, $n) = ('', 0);
	for my $t (@types) {
		my @parts = is_vector($t) ? map { "[$_]" } 0 .. $elements{$t} - 1 : '';
		$text .= 'self->place.out[' . $n++ . '] = bits_' . scalar_of($t) . "(self->${t}_$_->[0]$_->[1]);\n"
			for map { ([0, $_], [1, $_]) } @parts;
	}
	return ($text, $n);
}

sub choose_types {
	@integers = (qw(i32 u32 i64 u64), some_of(1, @all_integers));
	@floats   = some_of(2, @all_floats);
	@scalars  = (@integers, @floats);
	my %has   = map { $_ => 1 } @scalars;
	my @fit   = grep { $has{ $element{$_} } } @all_vectors;
	@vectors  = some_of(3, @fit);
	@types    = (@scalars, @vectors);
	%has      = map { $_ => 1 } @types;
	@slots    = grep { $has{$_} } @all_slots;
}

sub own_program {
	my ($seed) = @_;
	$state       = $seed & 0x7fffffff;
	below(2) for 1 .. 4;
	choose_types();
	my $items  = one_of(64, 64, 128, 100);
	my $groups = 1 + below(2);
	$whole_waves = $items % 64 == 0;
	$functions   = { n => below(2) ? 0 : 100, text => '' };
	$in_function = '';
	$phase       = 0;
	my @phases = phase(first_phase() . for_next_phase());
	for (1 .. 1 + below(3)) {
		$phase++;
		push @phases, phase(across_lanes() . counters() . join('', map { statement(2) } 1 .. 4 + below(6))
			. for_next_phase());
	}
	$phase++;
	my ($results, $words) = results();
	push @phases, phase(counters() . $results);
	my $names   = join ' ', map { "X(phase_$_)" } 0 .. $phase;
	my $members = join '', map { "\t$_ ${_}_0, ${_}_1;\n" } @types;
	my $slots   = join '', map { "\t$_ ${_}[2][ITEMS];\n" } @slots;
	return <<~END . $functions->{text} . join('', @phases) . "PROGRAM\n";
	#define ITEMS  $items
	#define GROUPS $groups
	#define WORDS  $words
	#define TOTALS 34
	#define PHASES(X) $names
	#include "arith.h"
	struct shared {
	$slots	u64 counter[3][34];
	};
	SHARED struct shared lds;
	struct item {
		struct place place;
	$members};
	END
}

1;
