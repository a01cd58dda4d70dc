/* SPDX-License-Identifier: GPL-2.0-only */
#include "laws/scalable.h"
#include "glue.bpf.h"
