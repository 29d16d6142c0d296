import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { HttpError } from '../../shared/platform/http/http-errors.ts';

/** The range of limits that WAF accepts. */
const rateMin = 10;
const rateMax = 2_000_000_000;

interface FirewallOptions {
  stageArn: string;
  /** Requests allowed per IP address in five minutes. */
  ratePer5Minutes: number;
  /** The response above the limit. */
  refusal: HttpError;
}

/** A web ACL in front of the API: blocks an address that sends too many requests before they reach a Lambda. */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, { stageArn, ratePer5Minutes, refusal }: FirewallOptions) {
    super(scope, id);
    const visibility = (metricName: string) => ({
      metricName,
      cloudWatchMetricsEnabled: true,
      sampledRequestsEnabled: true,
    });
    const acl = new CfnWebACL(this, 'acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibility('requests'),
      customResponseBodies: {
        refusal: { contentType: 'APPLICATION_JSON', content: JSON.stringify(refusal.body) },
      },
      rules: [
        {
          name: 'rate-per-address',
          priority: 0,
          statement: { rateBasedStatement: { limit: ratePer5Minutes, aggregateKeyType: 'IP' } },
          action: {
            block: {
              customResponse: {
                responseCode: refusal.statusCode,
                customResponseBodyKey: 'refusal',
                responseHeaders: Object.entries(refusal.headers).map(([name, value]) => ({ name, value })),
              },
            },
          },
          visibilityConfig: visibility('rate-per-address'),
        },
      ],
    });
    new CfnWebACLAssociation(this, 'association', { webAclArn: acl.attrArn, resourceArn: stageArn });
  }
}

/**
 * The context value `wafRatePer5Minutes`; `undefined` if it is not set. Then there is no web ACL, because one costs money
 * even when idle.
 */
export function firewallRate(construct: Construct): number | undefined {
  const value: unknown = construct.node.tryGetContext('wafRatePer5Minutes');
  if (value === undefined) return undefined;
  const rate = Number(value);
  if (Number.isInteger(rate) && rate >= rateMin && rate <= rateMax) return rate;
  throw new Error(
    `-c wafRatePer5Minutes=${String(value)}: expected a whole number from ${rateMin} to ${rateMax}`,
  );
}
