import type { ToolTypeName } from '../../../domain/tools/tool-types/index.ts';
import type { RuntimeOnlyTypeName } from '../../../domain/tools/tool-types/runtime-types.ts';
import type { AnyToolRunner } from '../../tool-support/tool-runner.ts';
import { advisor } from './advisor.ts';
import { custom } from './custom.ts';
import { external } from './external.ts';
import { flow } from './flow.ts';
import { graphql } from './graphql.ts';
import { local } from './local.ts';
import { mcp } from './mcp.ts';
import { search } from './search.ts';
import { subagent } from './subagent.ts';

const runners: Record<ToolTypeName | RuntimeOnlyTypeName, AnyToolRunner> = {
  flow,
  custom,
  external,
  graphql,
  mcp,
  local,
  advisor,
  search,
  subagent,
};

export const toolRunnerOf = (type: string): AnyToolRunner | undefined =>
  Object.hasOwn(runners, type) ? runners[type as keyof typeof runners] : undefined;
