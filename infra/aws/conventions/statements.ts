import { ArnFormat, type CfnElement, Names, Stack, Validations } from 'aws-cdk-lib';
import { Effect, type IRole, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';

/** Allows actions on secrets by name pattern. */
export function allowSecrets(role: Role, actions: string[], resourceName: string, reason: string) {
  const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
  const names = { service: 'secretsmanager', resource: 'secret', resourceName, arnFormat };
  const onSecrets = actions.map((action) => `secretsmanager:${action}`);
  allowActions(role, onSecrets, [Stack.of(role).formatArn(names)]);
  const shown = `arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:${resourceName}`;
  acknowledgeWildcard(role, shown, reason);
}

/** The CDK's own grant also allows looking the queue up, which no sender does. */
export const allowSending = (role: Role, { queueArn }: IQueue) =>
  allowActions(role, ['sqs:SendMessage'], [queueArn]);

/** Documents for cdk-nag why the policy of a role has this wildcard. */
export const acknowledgeWildcard = (role: Role, resource: string, reason: string) =>
  Validations.of(role).acknowledge({ id: `AwsSolutions-IAM5[Resource::${resource}]`, reason });

/**
 * How cdk-nag shows, in the policy of a role, what CloudFormation fills in: an attribute of a resource, or its name. In a
 * nested stack that is the parameter by which it gets there.
 */
export function shownReference(role: Role, element: CfnElement, attribute?: string): string {
  const stack = Stack.of(role);
  if (stack !== Stack.of(element))
    return `<referenceto${Names.nodeUniqueId(element.node)}${attribute ?? 'Ref'}>`;
  return `<${[stack.getLogicalId(element), attribute].filter(Boolean).join('.')}>`;
}

export const allowActions = (
  role: IRole,
  actions: readonly string[],
  resources: readonly string[],
  conditions: Record<string, unknown> = {},
) =>
  role.addToPrincipalPolicy(
    new PolicyStatement({
      effect: Effect.ALLOW,
      actions: [...actions],
      resources: [...resources],
      conditions,
    }),
  );
