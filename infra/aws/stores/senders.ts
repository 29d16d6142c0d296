import { Stack } from 'aws-cdk-lib';
import { Effect, ManagedPolicy, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { resolvedLength } from '../conventions/policy-length.ts';

/** Below IAM's 6,144 characters, less the statement around the identities. */
const identitiesLengthMax = 5_800;

/**
 * Allow sending email as the identities of the settings. All roles that send share these policies, as a list of addresses
 * would be the largest part of each.
 */
export function senderPolicies(scope: Construct, identities: readonly string[]): ManagedPolicy[] {
  const stack = Stack.of(scope);
  const arns = identities.map((resourceName) =>
    stack.formatArn({ service: 'ses', resource: 'identity', resourceName }),
  );
  const sending = (resources: string[]) =>
    new PolicyStatement({ effect: Effect.ALLOW, actions: ['ses:SendEmail'], resources });
  const chunks: { resources: string[]; room: number }[] = [];
  for (const arn of arns) {
    const length = resolvedLength(stack, sending([arn]));
    const last = chunks.at(-1);
    if (last && last.room >= length) last.resources.push(arn);
    else chunks.push({ resources: [arn], room: identitiesLengthMax });
    (chunks.at(-1) as { room: number }).room -= length;
  }
  return chunks.map(({ resources }, index) => {
    const document = new PolicyDocument({ statements: [sending(resources)] });
    return new ManagedPolicy(scope, `senders-${index + 1}`, { document, description: 'Sends email' });
  });
}
