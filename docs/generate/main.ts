import { writeFileSync } from 'node:fs';
import { generated, rootUrl } from './generated.ts';

/** `npm run docs`: writes what follows from the code and from other documents. */
for (const [path, make] of Object.entries(generated)) {
  writeFileSync(new URL(path, rootUrl), await make());
  process.stdout.write(`Wrote ${path}\n`);
}
