import { Duration } from 'aws-cdk-lib';
import {
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { LambdaEntry } from '../conventions/entries.ts';
import { logGroupFor } from '../conventions/log-groups.ts';
import { lambdaName } from '../conventions/names.ts';
import { howBundlesRun } from '../conventions/own-functions.ts';
import { groupRole } from '../grants/group-role.ts';
import { type Bundles, bundleFolder } from './bundles.ts';
import { type EnvironmentProps, lambdaVariables } from './environment.ts';

export interface LambdaProps extends EnvironmentProps {
  bundles: Bundles;
}

/** Adds the Lambdas of a group, with the role and the log group that they share. */
export function addLambdas(
  scope: Construct,
  group: string,
  some: readonly LambdaEntry[],
  { bundles, ...props }: LambdaProps,
) {
  const { settings, stores } = props;
  const role = groupRole(scope, group, new Set(some.flatMap(({ uses }) => uses)), stores);
  const logGroup = logGroupFor(scope, `${group}-log`, settings);
  logGroup.grantWrite(role);
  const makeFunction = ({ id, uses, timeoutSeconds, memoryMb, recursiveLoop }: LambdaEntry) => {
    const reservedConcurrency = id === 'authorizer' && settings.authorizersReserved;
    return new LambdaFunction(scope, id, {
      functionName: lambdaName(id, settings.env),
      role,
      logGroup,
      code: Code.fromAsset(bundleFolder(bundles, id)),
      ...howBundlesRun,
      memorySize: memoryMb,
      timeout: Duration.seconds(timeoutSeconds),
      tracing: Tracing.ACTIVE,
      loggingFormat: LoggingFormat.TEXT,
      // Lambda's default is to terminate.
      ...(recursiveLoop === 'Allow' && { recursiveLoop: RecursiveLoop.ALLOW }),
      ...(reservedConcurrency && { reservedConcurrentExecutions: reservedConcurrency }),
      environment: lambdaVariables(uses, props),
    });
  };
  const byId: Record<string, LambdaFunction | undefined> = Object.fromEntries(
    some.map((entry) => [entry.id, makeFunction(entry)]),
  );
  return { role, byId };
}
