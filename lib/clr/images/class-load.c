/*
 * SPDX-License-Identifier: MIT
 *
 * class-load.c - classes from load to unload, as the runtime announces them.
 *
 * A class goes while its image does: after its ids were forgotten (image.c), and before its memory is gone. The runtime
 * may be asked about it in ClassUnloadStarted for the last time, so the record is kept on the thread until Finished.
 */
#include "class-load.h"
#include <monocle/host.h>
#include "emitted.h"
#include "layout.h"
#include "resolve.h"
#include "state.h"
#include "thread-memory.h"

HRESULT
monocle__callback_ClassLoadFinished (ICorProfilerCallback11 *self, ClassID id, HRESULT status)
{
	MonoClass *klass = monocle__resolve_class (id);
	monocle__emitted_class_loaded (klass);
	if (status < 0) {
		monocle_raise_class_failed (klass);
		monocle_raise_load_failed (MONOCLE_LOAD_CLASS, mono_class_get_name (klass), status);
		return S_OK;
	}
	monocle_raise_class_loading (klass);
	monocle_raise_class_loaded (klass);
	monocle__class_load_met (klass);
	return S_OK;
}

void
monocle__class_load_met (MonoClass *klass)
{
	if (monocle__class_load_wanted ())
		monocle_class_set_up (klass);
}

HRESULT
monocle__callback_ClassUnloadStarted (ICorProfilerCallback11 *self, ClassID id)
{
	monocle__going *going = monocle__thread_memory_going ();
	if (!going || !monocle__clr_listened (MONOCLE_EVENT_class_unloaded))
		return S_OK;
	going->is_asked = true;
	MonoClass *klass = monocle__resolve_class (id);
	going->is_asked = false;
	going->klass = monocle__clr_layout_is_class (klass, id) ? klass : NULL;
	return S_OK;
}

HRESULT
monocle__callback_ClassUnloadFinished (ICorProfilerCallback11 *self, ClassID id, HRESULT status)
{
	monocle__going *going = monocle__thread_memory_going ();
	MonoClass *klass = going ? going->klass : NULL;
	if (!klass)
		return S_OK;
	going->klass = NULL;
	if (status >= 0)
		monocle_raise_class_unloaded (klass);
	return S_OK;
}
