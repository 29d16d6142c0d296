import { NestedStack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, expect, test } from 'vitest';
import { sesIdentitiesMax } from '../../../infra/aws/conventions/settings.ts';
import { resolvedIn } from './resolved.ts';
import { environmentStack } from './synthesise.ts';

/** IAM's quotas, in characters without white space. Only the number of managed policies can be raised. */
const iam = { inlineOfRole: 10_240, managed: 6_144, managedOfRole: 10, trust: 2_048 };

interface Policy {
  PolicyDocument: object;
  Roles?: { Ref: string }[];
}

/** The sizes of what belongs to each role, as IAM counts them. */
function sizesIn(template: Template) {
  const { Resources } = template.toJSON();
  const { lengthOf } = resolvedIn(template);
  const of = (type: string): [string, Policy][] =>
    Object.entries(template.findResources(type)).map(([id, { Properties }]) => [id, Properties]);
  const lengths = (policies: Policy[]) => policies.map(({ PolicyDocument }) => lengthOf(PolicyDocument));
  return Object.entries(template.findResources('AWS::IAM::Role')).map(([role, { Properties }]) => {
    const attached = (policies: [string, Policy][]) =>
      policies.map(([, policy]) => policy).filter((policy) => policy.Roles?.some(({ Ref }) => Ref === role));
    const named: Policy[] = (Properties.ManagedPolicyArns ?? []).flatMap(({ Ref }: { Ref?: string }) =>
      Ref ? [Resources[Ref].Properties] : [],
    );
    const inline = lengths([...(Properties.Policies ?? []), ...attached(of('AWS::IAM::Policy'))]);
    return {
      role,
      inline: inline.reduce((sum, length) => sum + length, 0),
      managed: lengths([...named, ...attached(of('AWS::IAM::ManagedPolicy'))]),
      trust: lengthOf(Properties.AssumeRolePolicyDocument),
    };
  });
}

const longestAddress = (_: unknown, index: number) => `${index}@`.padEnd(308, 'x').concat('.example.com');

let templates: Template[];
beforeAll(() => {
  const stack = environmentStack('staging', {
    cloudFront: 'true',
    wafRatePer5Minutes: '2000',
    bedrockRegion: 'ap-southeast-1',
    canary: 'true',
    sesIdentities: Array.from({ length: sesIdentitiesMax }, longestAddress).join(','),
  });
  const nested = stack.node.findAll().filter((each) => each instanceof NestedStack);
  templates = [stack, ...nested].map((each) => Template.fromStack(each));
}, 60_000);

test('with everything switched on, the longest names and the most senders, the policies of each role fit into IAM’s quotas', () => {
  const sizes = templates.flatMap(sizesIn);
  const tooLarge = sizes.filter(
    ({ inline, managed, trust }) =>
      inline > iam.inlineOfRole ||
      managed.some((length) => length > iam.managed) ||
      managed.length > iam.managedOfRole ||
      trust > iam.trust,
  );
  expect(tooLarge).toEqual([]);
  const { managed = [] } = sizes.find(({ role }) => /^functionsworkersrole/.test(role)) ?? {};
  expect(managed.length).toBeGreaterThan(0);
});

test('the workers’ role has room for a tenth more statements', () => {
  const workers = templates.flatMap(sizesIn).find(({ role }) => /^functionsworkersrole/.test(role));
  expect(workers?.inline).toBeLessThan(iam.inlineOfRole * 0.9);
});
