/*
 * SPDX-License-Identifier: MIT
 *
 * com.h - the callback object as COM sees it.
 */
#ifndef MONOCLE_CLR_COM_H
#define MONOCLE_CLR_COM_H

#include "corprof.h"

/* IUnknown of the one callback object; named after the vtable slots they fill. */
HRESULT monocle__com_QueryInterface (ICorProfilerCallback11 *self, const GUID *iid, void **ret_object);
ULONG monocle__com_AddRef (ICorProfilerCallback11 *self);
ULONG monocle__com_Release (ICorProfilerCallback11 *self);

#endif
