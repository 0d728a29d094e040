#!/bin/sh
# kernel-report.sh LLVM FILE.co: prints registers, LDS and spills of each kernel from its
# metadata; fails if one spills, because a spill is scratch traffic that races with LDS loads.
"$1/llvm-readelf" --notes "$2" | awk -v file="$2" '
  $1 == "-" { $1 = ""; sub(/^ +/, "") }
  $1 == ".agpr_count:" { agprs = $2 }
  $1 == ".group_segment_fixed_size:" { lds = $2 }
  $1 == ".name:" { name = $2 }
  $1 == ".private_segment_fixed_size:" { scratch = $2 }
  $1 == ".sgpr_count:" { sgprs = $2 }
  $1 == ".sgpr_spill_count:" { sspill = $2 }
  $1 == ".vgpr_count:" { vgprs = $2 }
  $1 == ".vgpr_spill_count:" { vspill = $2 }
  $1 == ".wavefront_size:" && name != "" {
    printf "       %-28s vgprs %3d  agprs %3d  sgprs %3d  lds %6d  scratch %d  spills %d\n",
           name, vgprs, agprs, sgprs, lds, scratch, sspill + vspill
    bad += sspill + vspill > 0
    name = ""
  }
  END { if (bad) { print file ": spills registers" > "/dev/stderr"; exit 1 } }'
