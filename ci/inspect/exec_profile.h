/* The profile of mxcheck exec, as libmxhip.so takes it: the variable MXHIP_PROFILE. */
#ifndef MX_EXEC_PROFILE_H
#define MX_EXEC_PROFILE_H

#include "../../cases/case.h"

/* The value for --profile P: its name, or the path of a list (ref/mma/family.h) that is written
 * into the folder. Returns 0, or -1 with the reason. */
int mx_exec_profile(const char *profile, const char *folder, char *value, size_t room,
                    struct mx_error *err);

/* What the cases of --record name as their profile, for MXHIP_RECORD_PROFILE: its name, or a copy of
 * its file in the folder. Returns 0, or -1 with the reason. */
int mx_exec_record_profile(const char *profile, const char *folder, char *value, size_t room,
                           struct mx_error *err);

#endif
