/* SPDX-License-Identifier: GPL-2.0-only */
#include "laws/fast.h"
#include "glue.bpf.h"
