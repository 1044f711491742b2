# SPDX-License-Identifier: MIT
# `make deb`: Debian packages in build/deb (packaging/debian). DEB_OPTIONS are options of dpkg-buildpackage.

deb: need-deb
	$(Q)tools/deb.sh build/deb $(DEB_OPTIONS)
	$(Q)cd build/deb && ls *.deb

.PHONY: deb
