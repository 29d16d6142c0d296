import type { CfnRule } from 'aws-cdk-lib/aws-events';
import { CfnEventSourceMapping, CfnPermission } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { timers } from '../../resources.ts';
import { liveAlias } from '../conventions/names.ts';
import type { Functions } from '../lambdas/functions.ts';

/** Queues and timers invoke the aliases, once these exist. */
export function sendToAliases({ node, byId }: Functions, releases: Construct): void {
  const aliasOf = (id: string) => `${byId[id]?.functionArn}:${liveAlias}`;
  for (const [id, lambda] of Object.entries(byId)) {
    for (const part of lambda.node.findAll()) {
      if (!(part instanceof CfnEventSourceMapping)) continue;
      part.functionName = aliasOf(id);
      part.node.addDependency(releases);
    }
  }
  for (const { worker } of timers) {
    const rule = node.findChild(`${worker}-timer`).node.defaultChild as CfnRule;
    rule.addPropertyOverride('Targets.0.Arn', aliasOf(`workers.${worker}`));
    rule.node.addDependency(releases);
  }
  for (const part of node.findAll()) {
    if (!(part instanceof CfnPermission) || part.principal !== 'events.amazonaws.com') continue;
    part.functionName = `${part.functionName}:${liveAlias}`;
    part.node.addDependency(releases);
  }
}
