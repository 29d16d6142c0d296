import { Stack } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import { acknowledgeWildcard, allowActions } from '../conventions/statements.ts';
import type { Stores } from '../stores/stores.ts';

const reason = 'A flow names any model of Bedrock; the account decides which of them it has access to.';

/** Allows calls of Bedrock's models, if the deployment names a region for them. */
export function grantBedrock(role: Role, { bedrockRegion }: Stores): void {
  if (!bedrockRegion) return;
  const { partition, account } = Stack.of(role);
  // A cross-region profile needs its models in all of its regions; those of global profiles have no region.
  const models = ':bedrock:*::foundation-model/*';
  const profiles = ['inference-profile', 'application-inference-profile'];
  const profilesIn = (accountId: string) =>
    profiles.map((name) => `:bedrock:${bedrockRegion}:${accountId}:${name}/*`);
  allowActions(
    role,
    ['bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream'],
    [models, ...profilesIn(account)].map((arn) => `arn:${partition}${arn}`),
  );
  for (const arn of [models, ...profilesIn('<AWS::AccountId>')])
    acknowledgeWildcard(role, `arn:<AWS::Partition>${arn}`, reason);
}
