/** Where temporary files are on a disk, whatever the others are in: for what is about disks. */
export const onDisk = "/var/tmp";
