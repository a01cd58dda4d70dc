/* SPDX-License-Identifier: GPL-2.0-only */
#define LAW_STORED
#include "laws/ghstcp.h"
#include "glue.bpf.h"
