import { type ReactNode, useEffect, useId, useRef } from 'react';
import { uiTexts } from '../../texts/ui.ts';
import { Help } from '../forms/help.tsx';
import { type EditorOptions, openEditor } from './editor.ts';

interface Props extends Omit<EditorOptions, 'parent' | 'labelledBy' | 'describedBy'> {
  label: ReactNode;
  help?: ReactNode;
  problem?: string | undefined;
  /** A variable to highlight. */
  pointed?: string | undefined;
}

/** An editor for code or JSON. Escape, then Tab leaves it with the keyboard. */
export function CodeEditor({ label, help, problem, value, pointed, onChange, ...options }: Props) {
  const id = useId();
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<ReturnType<typeof openEditor>>(undefined);
  const latest = useRef(onChange);
  latest.current = onChange;
  const complete = useRef(options.complete);
  complete.current = options.complete;
  const point = useRef(options.onPoint);
  point.current = options.onPoint;

  // biome-ignore lint/correctness/useExhaustiveDependencies: opened once; later values are set below
  useEffect(() => {
    if (!host.current) return;
    const name = typeof label === 'string' ? label : uiTexts.code;
    const opened = openEditor({
      parent: host.current,
      value,
      name,
      language: options.language,
      onChange: (text) => latest.current(text),
      complete: (word) => complete.current?.(word) ?? [],
      isReadOnly: options.isReadOnly ?? false,
      onPoint: options.onPoint && ((variable) => point.current?.(variable)),
    });
    editor.current = opened;
    return () => opened.close();
  }, []);
  useEffect(() => editor.current?.set(value), [value]);
  useEffect(() => editor.current?.point(pointed), [pointed]);

  return (
    <div className="field">
      <span className="label" id={id}>
        {label}
      </span>
      <div
        ref={host}
        // Gives the focus on to the editor. A dialog finds no fields in a shadow root.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, the keyboard does not reach an editor in a dialog
        tabIndex={0}
        className={problem ? 'code-host invalid' : 'code-host'}
      />
      {help && (
        <span className="help">
          <Help>{help}</Help>
        </span>
      )}
      {problem && (
        <span className="problem" role="status">
          {problem}
        </span>
      )}
    </div>
  );
}
