import { resolvedIn } from './resolved-length.ts';
import type { StackTemplate, TemplateResource } from './whole-template.ts';

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
