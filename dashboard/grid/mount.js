// One grid on the page. The code that draws it came once, with prepare(); a grid that is earlier waits here.
export default function mount(component) {
  const lab = (globalThis.attentionLabGrid ??= { draw: null, waiting: new Map() });
  if (lab.draw) lab.draw(component);
  else lab.waiting.set(component.parentElement, component);
}
