/** The anchors of the headings of a Markdown document, as GitHub makes them, in order. */
export function headingAnchors(text: string): string[] {
  const seen = new Map<string, number>();
  return headingsOf(text).map((heading) => {
    const anchor = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-');
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
}

/** Without those inside of fenced blocks. */
function headingsOf(text: string): string[] {
  let fence: string | undefined;
  return text.split('\n').flatMap((line) => {
    const [, marks] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
    if (marks) fence = fence === undefined ? marks : line.trim() === fence ? undefined : fence;
    const [, heading] = (fence === undefined && /^#{1,6} +(.*?)\s*$/.exec(line)) || [];
    return heading === undefined ? [] : [heading];
  });
}
