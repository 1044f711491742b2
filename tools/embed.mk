# SPDX-License-Identifier: MIT
# Recorders for targets: `make embed-check` builds, runs and counts them (embed/check/run.py); ENCODERS=… chooses.

embed-check: need-embed
	$(Q)$(MAKE) --no-print-directory $(JOBS) BUILD=$(BUILD) $(OUT)/rastrum
	$(Q)python3 embed/check/run.py --folder $(OUT)/embed-check --rastrum $(OUT)/rastrum $(ENCODERS)

# One header and one source file for each encoder, in build/amalgam.
amalgam:
	$(Q)python3 embed/check/amalgam.py $(ENCODERS)

.PHONY: embed-check amalgam
