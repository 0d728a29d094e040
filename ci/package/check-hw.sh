#!/bin/sh
# make check-hw, on a gfx950: the profile of each matrix instruction, the cases under these profiles,
# and the rules that the emulator assumes. A rule may differ; an instruction without a profile
# fails, and so does a case. usage: check-hw.sh BUILD
build=$1
rm -f "$build/gfx950.yaml"
"$build/mxcheck" probe --device hip --out "$build/gfx950.yaml"
profiles=$?
if [ $profiles -eq 77 ]; then
	echo 'skipped: no gfx950 here: the cases and 2 probes'
	exit
fi
if [ -e "$build/gfx950.yaml" ]; then
	"$build/mxcheck" --device hip --profile "$build/gfx950.yaml"
else
	"$build/mxcheck" --device hip
fi
cases=$?
"$build/mxcheck" probe --device hip --assumptions --out "$build/gfx950-assumptions.yaml"
rules=$?
[ $profiles -eq 0 ] && [ $cases -eq 0 ] && [ $rules -le 1 ]
