import { expect, test } from 'vitest';
import { allOptions } from '../../../infra/aws/sizes/deployments.ts';
import { quotas, sizeShare } from '../../../infra/aws/sizes/quotas.ts';
import { findTooLarge } from '../../../infra/aws/sizes/sizes.ts';
import { sizesAt } from './grown.ts';

test.each(['dev', 'staging', 'prod'] as const)(
  '500 endpoints fit into every quota of %s with all options: the canaries are added by a second deployment',
  (env) => {
    const first = sizesAt(500, { env, ...allOptions, canary: 'false' });
    expect(findTooLarge(first)).toEqual([]);
    const second = sizesAt(500, { env, ...allOptions });
    const added = { size: second.operation.size - first.operation.size, of: 'canaries' };
    expect(added.size).toBeGreaterThan(1_500);
    expect(findTooLarge({ ...second, operation: added })).toEqual([]);
    expect(first.operation.size).toBeLessThan(quotas.operation.max * sizeShare);
  },
  300_000,
);
