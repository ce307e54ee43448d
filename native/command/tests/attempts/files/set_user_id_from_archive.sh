# The same from an archive.
# try:
python3 -c "import tarfile, io; t = tarfile.open('a.tar', 'w'); i = tarfile.TarInfo('root'); i.mode = 0o4755; t.addfile(i)"; tar xpf a.tar
# out:
test -u root
