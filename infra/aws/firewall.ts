import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { HttpError } from '../../shared/platform/http/http-errors.ts';

/** The smallest limit that WAF accepts. */
const rateMin = 10;
/** The share of the limit for requests without a credential. */
const publicShare = 0.1;
const bodyKey = 'refusal';

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
    const rule = (name: string, priority: number, statement: CfnWebACL.RateBasedStatementProperty) => ({
      ...{ name, priority, action: { block: { customResponse: responseOf(refusal) } } },
      statement: { rateBasedStatement: statement },
      visibilityConfig: visibility(name),
    });
    const acl = new CfnWebACL(this, 'acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibility('requests'),
      customResponseBodies: {
        [bodyKey]: { contentType: 'APPLICATION_JSON', content: JSON.stringify(refusal.body) },
      },
      rules: [
        rule('rate-per-address', 0, { limit: ratePer5Minutes, aggregateKeyType: 'IP' }),
        rule('public-rate-per-address', 1, {
          limit: Math.max(rateMin, Math.floor(ratePer5Minutes * publicShare)),
          aggregateKeyType: 'IP',
          scopeDownStatement: pathContains('/v1/public/'),
        }),
      ],
    });
    new CfnWebACLAssociation(this, 'association', { webAclArn: acl.attrArn, resourceArn: stageArn });
  }
}

const pathContains = (searchString: string): CfnWebACL.StatementProperty => ({
  byteMatchStatement: {
    searchString,
    fieldToMatch: { uriPath: {} },
    positionalConstraint: 'CONTAINS',
    textTransformations: [{ priority: 0, type: 'NONE' }],
  },
});

const responseOf = ({ statusCode, headers }: HttpError): CfnWebACL.CustomResponseProperty => ({
  responseCode: statusCode,
  customResponseBodyKey: bodyKey,
  responseHeaders: Object.entries(headers).map(([name, value]) => ({ name, value })),
});
