import type { Template } from 'aws-cdk-lib/assertions';

interface Statement {
  Effect: string;
  Action: string | string[];
  Resource?: unknown;
  NotResource?: unknown;
  Condition?: unknown;
}
/** A statement of a role's policy, with the role's description, which names the group of Lambdas that has it. */
export type AllowedStatement = { role: string; actions: string[]; resources: string[]; condition: unknown };

/** Every statement that allows something. */
export function grantsIn(template: Template): AllowedStatement[] {
  const roles = template.findResources('AWS::IAM::Role');
  const managed = template.findResources('AWS::IAM::ManagedPolicy');
  const named = Object.entries(roles).flatMap(([Ref, { Properties }]) =>
    (Properties.ManagedPolicyArns ?? []).flatMap((arn: { Ref?: string }) =>
      arn.Ref ? [{ Properties: { ...managed[arn.Ref]?.Properties, Roles: [{ Ref }] } }] : [],
    ),
  );
  const policies = ['AWS::IAM::Policy', 'AWS::IAM::RolePolicy'].flatMap((type) =>
    Object.values(template.findResources(type)),
  );
  const inline = Object.entries(roles).flatMap(([id, { Properties }]) =>
    (Properties.Policies ?? []).map((policy: object) => ({
      Properties: { ...policy, Roles: [{ Ref: id }] },
    })),
  );
  return [...policies, ...named, ...inline].flatMap(({ Properties }) =>
    (Properties.Roles as { Ref: string }[]).flatMap(({ Ref }) =>
      (Properties.PolicyDocument.Statement as Statement[])
        .filter(({ Effect }) => Effect === 'Allow')
        .map(({ Action, Resource, NotResource, Condition: condition }) => ({
          condition,
          role: String(roles[Ref]?.Properties.Description ?? Ref).replace('Lambdas of the group ', ''),
          actions: [Action].flat(),
          resources: [Resource ?? { not: NotResource }].flat().map((resource) => shown(template, resource)),
        })),
    ),
  );
}

/** An ARN as one text: `<…>` stands for what CloudFormation fills in. */
export function shown(template: Template, resource: unknown): string {
  const { 'Fn::Join': join, Ref: ref } = resource as { 'Fn::Join'?: [string, unknown[]]; Ref?: string };
  if (join) return join[1].map((part) => shown(template, part)).join(join[0]);
  if (ref) return template.toJSON().Resources[ref]?.Properties?.Name ?? `<${ref}>`;
  return typeof resource === 'string' ? resource : JSON.stringify(resource);
}
