# Programs of csmith, adapted to run on both sides.
use strict;
use warnings;
use File::Temp qw(tempdir);

# csmith reads platform.info in its working directory, and writes it if there is none. Of two that
# start at once, the second one reads half a file ("please specify pointer size in platform.info").
my $platform = tempdir(CLEANUP => 1);
spew("$platform/platform.info", "integer size = 4\npointer size = 8\n");

# No unions as arguments: clang 22 passes a union as its largest member and loses bytes of other
# members in the padding of that one. (Without unions as results, csmith fails its own assertion.)
my $options = '--no-argc --quiet --concise --max-funcs 5 --max-block-depth 4 '
	. '--max-array-len-per-dim 6 --no-arg-unions';

# A program, or nothing where csmith fails.
sub csmith {
	my ($seed, $more) = @_;
	my $text = `cd $platform && csmith $options --seed $seed $more 2>&1`;
	return $text unless $?;
	warn "csmith: $text";
	return;
}

# Unchanged, by one work-item; its variables are global.
sub csmith_c {
	my ($seed) = @_;
	my $text = csmith($seed, '') // return;
	$text =~ s/#include "csmith.h"\n/$&static struct checksum checksum;\n/ or die $text;
	$text =~ s/^int main \(void\)/static int csmith_main(void)/m or die $text;
	return <<~END;
	#define ITEMS  1
	#define GROUPS 1
	$text
	static void whole(struct item *self) {
		checksum = (struct checksum){ self->place.out, 0, 0xcbf29ce484222325 };
		csmith_main();
	}
	PROGRAM
	END
}

# By a wave. Each work-item has its own variables with different values: all become members of a
# class.
sub csmith_cpp {
	my ($seed) = @_;
	my $text = csmith($seed, '--lang-cpp --cpp11') // return;
	my @vary = $text =~ /^static u?int\d+_t (g_\d+) = /mg;
	$text =~ s/#include "csmith.h"\n/$&struct program {\nstruct checksum checksum;\n/ or die $text;
	$text =~ s/^static [^=\n]*\bfunc_\d+\(.*\);\n//mg;
	$text =~ s/^static (?=.*[;)]$)//mg;
	$text =~ s/^int main \(void\)/int csmith_main(void)/m or die $text;
	my $vary = join '', map { "\tp.$_ += 0x9e3779b1 * self->place.me;\n" } @vary;
	return <<~END;
	#define ITEMS  64
	#define GROUPS 1
	$text
	};
	static void whole(struct item *self) {
		struct program p;
	$vary
		p.checksum = (struct checksum){ self->place.out, 0, 0xcbf29ce484222325 };
		p.csmith_main();
	}
	PROGRAM
	END
}

1;
