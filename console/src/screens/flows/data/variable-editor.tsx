import type { ComponentProps } from 'react';
import { CodeEditor } from '../../../ui/code/code-editor.tsx';
import { variableSetter } from '../steps/scopes.ts';
import { useEditing } from './editing.tsx';
import { markedByUse } from './marked-steps.ts';
import { usePointed, useSetMarked } from './marks.tsx';

type Props = ComponentProps<typeof CodeEditor> & { stepId: string };

/** An editor for a text of a step. Pointing at a variable in it marks where that comes from, and the other way round. */
export function VariableEditor({ stepId, ...editor }: Props) {
  const { steps } = useEditing();
  const pointed = usePointed();
  const setMarked = useSetMarked();
  const isHere = pointed && variableSetter(steps, stepId, pointed.name)?.id === pointed.setterId;
  return (
    <CodeEditor
      {...editor}
      pointed={isHere ? pointed.name : undefined}
      onPoint={(name) => setMarked(name === undefined ? undefined : markedByUse(steps, stepId, name))}
    />
  );
}
