Premain-Class: Other
Can-Redefine-Classes: true
Can-Retransform-Classes: true
