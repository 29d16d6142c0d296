import { expect, test } from 'vitest';
import { endpoints } from '../../../functions/index.ts';
import { allOptions } from '../../../infra/aws/sizes/deployments.ts';
import { quotas } from '../../../infra/aws/sizes/quotas.ts';
import { findTooLarge } from '../../../infra/aws/sizes/sizes.ts';
import { sizesAt } from './grown.ts';
import { synthesise } from './synthesise.ts';

test('with half as many endpoints again and all options, every stack, policy and document fits, a tenth left', () => {
  const sizes = sizesAt(Math.ceil(endpoints.length * 1.5), { env: 'staging', ...allOptions });
  expect(findTooLarge(sizes)).toEqual([]);
  expect(sizes.operation.size).toBeGreaterThan(quotas.operation.max / 2);
}, 120_000);

test('a group costs a stack, a role and a log, and a Lambda one resource: policies are parts of the roles', () => {
  const roles = Object.entries(synthesise('dev').findResources('AWS::IAM::Role'));
  const ofGroups = roles.filter(([, { Properties }]) =>
    Properties.Description?.startsWith('Lambdas of the group'),
  );
  expect(ofGroups.length).toBeGreaterThan(30);
  for (const [, { Properties }] of ofGroups) expect(Properties.Policies).toHaveLength(1);
  const policies = Object.values(synthesise('dev').findResources('AWS::IAM::Policy'));
  const holders = policies.flatMap(({ Properties }) =>
    Properties.Roles.map(({ Ref }: { Ref: string }) => Ref),
  );
  expect(ofGroups.map(([id]) => id).filter((id) => holders.includes(id))).toEqual([]);
}, 60_000);

test('what is too large is named with the stack or the role that has it', () => {
  const sizes = sizesAt(20, { env: 'dev' });
  const messages = findTooLarge({ ...sizes, resources: { size: 450, of: 'workers' } });
  expect(messages).toEqual(['resources of a stack: workers has 450 of 500, and may have less than 90 %']);
  // AWS raises it on request.
  expect(findTooLarge({ ...sizes, paths: { size: 400, of: 'the API' } })).toEqual([]);
}, 60_000);
