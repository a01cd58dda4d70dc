/* SPDX-License-Identifier: GPL-2.0-only */
#include "laws/hstcp.h"
#include "glue.bpf.h"
