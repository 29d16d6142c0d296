import { gzipSync } from 'node:zlib';
import { Header } from 'tar';

type Entry = {
  path: string;
  body?: string | Uint8Array;
  type?: 'File' | 'Directory' | 'SymbolicLink';
  linkpath?: string;
};

/** A gzipped tar with these entries, as they are. */
export function tarball(entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap(({ path, body = '', type = 'File', linkpath }) => {
    const bytes = Buffer.from(body);
    const header = new Header({
      path,
      type,
      size: bytes.length,
      mode: 0o644,
      mtime: new Date(0),
      ...(linkpath && { linkpath }),
    });
    const block = Buffer.alloc(512);
    header.encode(block);
    return [block, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1_024)]));
}
