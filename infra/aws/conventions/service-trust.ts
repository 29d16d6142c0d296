import { Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/**
 * A role that an AWS service assumes for resources of this account only. Without the condition, another account could
 * have the service act with it (the confused deputy problem). For services that send the account: Scheduler, CodeDeploy.
 */
export const roleFor = (scope: Construct, id: string, service: string, description: string): Role =>
  new Role(scope, id, {
    assumedBy: new ServicePrincipal(service, {
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
    description,
  });
