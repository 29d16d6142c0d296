import { beforeAll, expect, test } from 'vitest';
import { sesIdentitiesMax } from '../../../infra/aws/conventions/settings.ts';
import { quotas } from '../../../infra/aws/sizes/quotas.ts';
import { policySizes } from '../../../infra/aws/sizes/sizes.ts';
import { wholeTemplate } from '../../../infra/aws/sizes/whole-template.ts';
import { environmentStack } from './synthesise.ts';

const longestAddress = (_: unknown, index: number) => `${index}@`.padEnd(308, 'x').concat('.example.com');

let sizes: ReturnType<typeof policySizes>;
beforeAll(() => {
  const stack = environmentStack('staging', {
    cloudFront: 'true',
    wafRatePer5Minutes: '2000',
    bedrockRegion: 'ap-southeast-1',
    canary: 'true',
    sesIdentities: Array.from({ length: sesIdentitiesMax }, longestAddress).join(','),
  });
  sizes = policySizes(wholeTemplate(stack));
}, 60_000);

const ofWorkers = () => sizes.find(({ role }) => role.startsWith('workersrole'));

test('with everything switched on, the longest names and the most senders, the policies of each role fit into IAM’s quotas', () => {
  const tooLarge = sizes.filter(
    ({ inline, managed, trust }) =>
      inline > quotas.inline.max ||
      managed.some((length) => length > quotas.managed.max) ||
      managed.length > quotas.policies.max ||
      trust > quotas.trust.max,
  );
  expect(tooLarge).toEqual([]);
  expect(ofWorkers()?.managed.length).toBeGreaterThan(0);
});

test('the workers’ role has room for a tenth more statements', () => {
  expect(ofWorkers()?.inline).toBeLessThan(quotas.inline.max * 0.9);
});
