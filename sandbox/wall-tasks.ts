/** Tasks of a wall itself beside the program in it, processes and threads: two of Node, and a few shells. */
export const wallTasks = 48;
