// A processor that somebody bundled by themselves. Nothing runs it here: synthesis only takes the folder.
export const work = async () => ({ status: 'done' });
export const verify = async () => ({ status: 'complete' });
