/** Loaded before a worker: it and its browsers may use as many bytes as MEMORY_LIMIT says, as in a container. */
const limit = Number(process.env["MEMORY_LIMIT"]);
process.constrainedMemory = () => limit;
