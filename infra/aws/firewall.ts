import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { HttpError } from '../../shared/platform/http/http-errors.ts';

/** The range that WAF accepts. */
const rateMin = 10;
const rateMax = 2_000_000_000;

interface Guarded {
  stageArn: string;
  /** The limit per IP address and five minutes. */
  ratePer5Minutes: number;
  /** The response above the limit. */
  refusal: HttpError;
}

/** A web ACL in front of the API: blocks floods of a single address before they reach a Lambda. */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, { stageArn, ratePer5Minutes, refusal }: Guarded) {
    super(scope, id);
    const watched = (metricName: string) => ({
      metricName,
      cloudWatchMetricsEnabled: true,
      sampledRequestsEnabled: true,
    });
    const acl = new CfnWebACL(this, 'acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: watched('requests'),
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
          visibilityConfig: watched('rate-per-address'),
        },
      ],
    });
    new CfnWebACLAssociation(this, 'association', { webAclArn: acl.attrArn, resourceArn: stageArn });
  }
}

/** The context value `wafRatePer5Minutes`. Without it there is no web ACL, which costs money even when idle. */
export function firewallRate(construct: Construct): number | undefined {
  const value: unknown = construct.node.tryGetContext('wafRatePer5Minutes');
  if (value === undefined) return undefined;
  const rate = Number(value);
  if (Number.isInteger(rate) && rate >= rateMin && rate <= rateMax) return rate;
  throw new Error(
    `-c wafRatePer5Minutes=${String(value)}: expected a whole number from ${rateMin} to ${rateMax}`,
  );
}
