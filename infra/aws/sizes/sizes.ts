import { NestedStack, type Stack } from 'aws-cdk-lib';
import type { ServiceStack } from '../service-stack.ts';
import { type Quota, type QuotaName, quotas, sizeShare } from './quotas.ts';
import { resolvedIn } from './resolved-length.ts';
import {
  findNestedStacks,
  readApiDocument,
  type StackTemplate,
  type TemplateResource,
  templateText,
  wholeTemplate,
} from './whole-template.ts';

/** The largest of a kind, and what has it. */
interface Size {
  size: number;
  of: string;
}

export type Sizes = Record<QuotaName, Size> & { stacks: Size };

/** The sizes of a deployment against each quota. */
export function measureStack(service: ServiceStack): Sizes {
  const stacks = [service, ...findNestedStacks(service)].map((stack) => {
    const text = templateText(stack);
    return { of: nameOf(stack), bytes: Buffer.byteLength(text), template: JSON.parse(text) as StackTemplate };
  });
  const largestStack = (size: (stack: (typeof stacks)[number]) => number) =>
    largest(stacks.map((stack) => ({ size: size(stack), of: stack.of })));
  const countOf = (part: 'Resources' | 'Parameters' | 'Outputs') =>
    largestStack(({ template }) => Object.keys(template[part] ?? {}).length);
  const roles = policySizes(wholeTemplate(service));
  const largestRole = (size: (role: (typeof roles)[number]) => number) =>
    largest(roles.map((role) => ({ size: size(role), of: role.role })));
  const document = readApiDocument(service);
  const together = stacks.reduce((sum, { template }) => sum + Object.keys(template.Resources).length, 0);
  return {
    stacks: { size: stacks.length, of: service.stackName },
    template: largestStack(({ bytes }) => bytes),
    resources: countOf('Resources'),
    parameters: countOf('Parameters'),
    outputs: countOf('Outputs'),
    operation: { size: together, of: service.stackName },
    inline: largestRole(({ inline }) => inline),
    managed: largestRole(({ managed }) => Math.max(0, ...managed)),
    policies: largestRole(({ managed }) => managed.length),
    trust: largestRole(({ trust }) => trust),
    document: { size: Buffer.byteLength(document), of: 'the API' },
    paths: { size: resourcesOfApi(JSON.parse(document)), of: 'the API' },
  };
}

/** What is too large, each as a sentence. */
export const findTooLarge = (sizes: Sizes, share = sizeShare): string[] =>
  Object.entries<Quota>(quotas).flatMap(([name, { what, max, canBeRaised }]) => {
    const { size, of } = sizes[name as QuotaName];
    if (canBeRaised || size < max * share) return [];
    return [`${what}: ${of} has ${size} of ${max}, and may have less than ${share * 100} %`];
  });

const nameOf = (stack: Stack) => (stack instanceof NestedStack ? stack.node.id : stack.stackName);

const largest = (sizes: readonly Size[]): Size =>
  sizes.reduce((most, each) => (each.size > most.size ? each : most), { size: 0, of: 'none' });

/** API Gateway counts each segment of a path. */
function resourcesOfApi({ paths }: { paths: object }): number {
  const all = Object.keys(paths).flatMap((path) => {
    const segments = path.split('/').slice(1);
    return segments.map((_, index) => segments.slice(0, index + 1).join('/'));
  });
  return new Set(all).size;
}

interface Policy {
  PolicyDocument: object;
  Roles?: { Ref: string }[];
}

/** The sizes of what belongs to each role, as IAM counts them. */
export function policySizes(template: StackTemplate) {
  const { Resources } = template;
  const { lengthOf } = resolvedIn(template);
  const all: [string, TemplateResource][] = Object.entries(Resources);
  const of = (type: string) =>
    all.flatMap(([id, { Type, Properties = {} }]) => (Type === type ? [[id, Properties] as const] : []));
  const lengths = (policies: Policy[]) => policies.map(({ PolicyDocument }) => lengthOf(PolicyDocument));
  return of('AWS::IAM::Role').map(([role, properties]) => {
    const attached = (type: string) =>
      of(type)
        .map(([, policy]) => policy as Policy)
        .filter((policy) => policy.Roles?.some(({ Ref }) => Ref === role));
    const named: Policy[] = (properties.ManagedPolicyArns ?? []).flatMap(
      ({ Ref }: { Ref?: string }) => (Ref && Resources[Ref]?.Properties) || [],
    );
    const inline = lengths([...(properties.Policies ?? []), ...attached('AWS::IAM::Policy')]);
    return {
      role,
      inline: inline.reduce((sum, length) => sum + length, 0),
      managed: lengths([...named, ...attached('AWS::IAM::ManagedPolicy')]),
      trust: lengthOf(properties.AssumeRolePolicyDocument),
    };
  });
}
