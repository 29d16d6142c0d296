/** A text that may be longer than its box: the keyboard can reach and scroll it. A page may have many, so none is a landmark. */
export const TextBox = ({ label, children }: { label: string; children: string }) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
  <div
    role="group"
    // biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1, what scrolls needs the focus
    tabIndex={0}
    aria-label={label}
    className="text-box"
  >
    <pre dir="auto">{children}</pre>
  </div>
);
