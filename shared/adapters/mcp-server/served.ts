import type {
  CallToolResult,
  CompleteRequestParams,
  GetPromptResult,
  ListResourcesResult,
  Prompt,
  ReadResourceResult,
  ResourceTemplateType,
  Tool,
} from '@modelcontextprotocol/server';

/** Says how far a call is. */
export type ReportProgress = (done: { progress: number; total?: number | undefined }) => Promise<void>;

/** What a server offers to one caller, and how it responds. `signal` is aborted when the caller is gone. */
export interface ServedMcp {
  name: string;
  tools: {
    all: readonly Tool[];
    call: (
      name: string,
      args: Record<string, unknown>,
      signal: AbortSignal,
      progress: ReportProgress,
    ) => Promise<CallToolResult>;
  };
  prompts?: {
    all: readonly Prompt[];
    get: (
      name: string,
      args: Record<string, string>,
      signal: AbortSignal,
    ) => Promise<GetPromptResult | { failure: string }>;
  };
  resources?: {
    templates: readonly ResourceTemplateType[];
    /** @throws ServiceError for a cursor of another list. */
    list: (cursor: string | undefined) => Promise<ListResourcesResult>;
    /** Undefined if there is no such resource for the caller. */
    read: (uri: string) => Promise<ReadResourceResult | undefined>;
  };
  /** Values for an argument of a prompt or of a resource template. Undefined if there is no such argument. */
  complete?: (asked: CompleteRequestParams) => Promise<Completion | undefined>;
}

/** Values in the order in which they are suggested. */
export interface Completion {
  values: readonly string[];
  /** There are more than these, which were not read. */
  hasMore?: boolean;
}
