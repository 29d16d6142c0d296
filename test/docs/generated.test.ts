import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generated, rootUrl } from '../../docs/generate/generated.ts';

test.for(Object.keys(generated))(
  '%s is what the code says; run `npm run docs` after a change',
  async (path) => {
    expect(readFileSync(new URL(path, rootUrl), 'utf8')).toBe(await generated[path]?.());
  },
);
