/* SPDX-License-Identifier: GPL-2.0-only */
#include "laws/westwood.h"
#include "glue.bpf.h"
