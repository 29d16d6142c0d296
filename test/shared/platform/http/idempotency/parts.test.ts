import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitBody } from '../../../../../shared/platform/http/idempotency/kept-answers.ts';

test('a body of any characters is the sum of its parts, each of which is a text', () => {
  fc.assert(
    fc.property(fc.integer({ min: 99_990, max: 100_010 }), fc.string({ unit: 'grapheme' }), (length, end) => {
      const body = `${'x'.repeat(length)}${'🛩️'.repeat(5)}${end}`;
      const parts = splitBody(body);
      expect(parts.join('')).toBe(body);
      for (const part of parts) expect(part.isWellFormed()).toBe(true);
    }),
    { numRuns: 50 },
  );
});
