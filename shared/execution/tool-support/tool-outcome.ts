import type { Unmasked } from '../../core/redaction/hidden.ts';

/** A document that a tool shows beside its output. */
export interface Artifact {
  id: string;
  /** False if it replaces the content of an earlier one. */
  isNew: boolean;
  artifactType?: string;
  title?: string;
  content: string;
}

/** `awaitsCaller`: the caller of the run executes the tool and sends its output. */
export type ToolOutcome = ({ output: unknown; artifact?: Artifact } & Unmasked) | { awaitsCaller: true };
