import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { gatewayCorsHeaders } from '../../../shared/platform/http/responses/cors.ts';
import type { HttpError } from '../../../shared/platform/http/responses/http-errors.ts';

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
  /** Of the caller's address, if a CDN in front of the API sends it. */
  addressHeader: string | undefined;
}

/** A web ACL in front of the API: blocks an address that sends too many requests before they reach a Lambda. */
export class Firewall extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { stageArn, ratePer5Minutes, refusal, addressHeader }: FirewallOptions,
  ) {
    super(scope, id);
    const visibility = (metricName: string) => ({
      metricName,
      cloudWatchMetricsEnabled: true,
      sampledRequestsEnabled: true,
    });
    const rule = (name: string, priority: number, statement: CfnWebACL.RateBasedStatementProperty) => ({
      name,
      priority,
      action: { block: { customResponse: responseOf(refusal) } },
      statement: { rateBasedStatement: statement },
      visibilityConfig: visibility(name),
    });
    const limits = [
      { name: 'rate-per-address', limit: ratePer5Minutes },
      {
        name: 'public-rate-per-address',
        limit: Math.max(rateMin, Math.floor(ratePer5Minutes * publicShare)),
        only: pathContains('/v1/public/'),
      },
    ];
    const acl = new CfnWebACL(this, 'acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibility('requests'),
      customResponseBodies: {
        [bodyKey]: { contentType: 'APPLICATION_JSON', content: JSON.stringify(refusal.body) },
      },
      rules: limits.flatMap(({ name, ...limit }, index) => [
        rule(name, index, ofSender(limit, addressHeader)),
        ...(addressHeader
          ? [rule(`forwarded-${name}`, limits.length + index, forwarded(limit, addressHeader))]
          : []),
      ]),
    });
    new CfnWebACLAssociation(this, 'association', { webAclArn: acl.attrArn, resourceArn: stageArn });
  }
}

interface Limit {
  limit: number;
  only?: CfnWebACL.StatementProperty;
}

/** By the address that sends the request, if no CDN says for whom. */
function ofSender({ limit, only }: Limit, header?: string): CfnWebACL.RateBasedStatementProperty {
  const parts = [...(only ? [only] : []), ...(header ? [lacks(header)] : [])];
  const [first, ...others] = parts;
  const scopeDownStatement = others.length > 0 ? { andStatement: { statements: parts } } : first;
  return { limit, aggregateKeyType: 'IP', ...(scopeDownStatement && { scopeDownStatement }) };
}

/** By the address in a header. A header without an address is refused; WAF ignores requests without the header (D164). */
const forwarded = ({ limit, only }: Limit, headerName: string): CfnWebACL.RateBasedStatementProperty => ({
  limit,
  aggregateKeyType: 'FORWARDED_IP',
  forwardedIpConfig: { headerName, fallbackBehavior: 'MATCH' },
  ...(only && { scopeDownStatement: only }),
});

const lacks = (header: string): CfnWebACL.StatementProperty => ({
  notStatement: {
    statement: {
      sizeConstraintStatement: {
        fieldToMatch: { singleHeader: { Name: header.toLowerCase() } },
        comparisonOperator: 'GE',
        size: 0,
        textTransformations: [{ priority: 0, type: 'NONE' }],
      },
    },
  },
});

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
  responseHeaders: Object.entries({ ...headers, ...gatewayCorsHeaders }).map(([name, value]) => ({
    name,
    value,
  })),
});
