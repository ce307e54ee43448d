[0][u.crc32(c,u.crc32(n))!=SUM]
