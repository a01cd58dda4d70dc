/* SPDX-License-Identifier: GPL-2.0-only */
#include "laws/illinois.h"
#include "glue.bpf.h"
