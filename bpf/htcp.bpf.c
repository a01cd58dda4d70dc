/* SPDX-License-Identifier: GPL-2.0-only */
#include "laws/htcp.h"
#include "glue.bpf.h"
